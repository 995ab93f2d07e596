import { z } from 'zod';
import { readVoices } from '../../service/account.js';
import { encodeJson, forgotten, readJson } from '../../store/json-file.js';
import type { Session } from '../session.js';
import { UserError } from '../user-error.js';
import { understood } from './account-reads.js';
import type { HomeAccess } from './home-access.js';
import { readFromService } from './read-account.js';

/** The voices of the account, read once and kept in its home for minutes; they are free to read. */

const KEPT_MS = 5 * 60_000;

const keptSchema = z.object({
  schema: z.literal(1),
  baseUrl: z.string(),
  atMs: z.number(),
  voices: z.array(z.string()),
});

/**
 * Gives the set that a named voice is looked up in. A voice that the kept list does not have is looked for in a fresh
 * one. A service that does not answer is a warning, once, and the voices are then unknown.
 */
export function createKnownVoices(session: Session, access: HomeAccess) {
  let kept: ReadonlySet<string> | undefined;
  let fresh: Promise<ReadonlySet<string> | undefined> | undefined;
  return async (named: string): Promise<ReadonlySet<string> | undefined> => {
    if (fresh !== undefined) return fresh;
    kept ??= await readKept(session, access);
    if (kept.has(named)) return kept;
    fresh = readFresh(session, access);
    return fresh;
  };
}

async function readKept({ config }: Session, { home }: HomeAccess): Promise<ReadonlySet<string>> {
  const found = await readJson(home.store, keyOf(home.account), keptSchema, forgotten);
  const isGood = found !== undefined && found.baseUrl === config.baseUrl && Date.now() - found.atMs < KEPT_MS;
  return new Set(isGood ? found.voices : []);
}

async function readFresh(session: Session, { home }: HomeAccess): Promise<ReadonlySet<string> | undefined> {
  const { baseUrl } = session.config;
  try {
    const read = understood(readVoices(await readFromService(session, 'voices')), 'voices');
    const voices = read.map(({ voiceId }) => voiceId);
    // A home that the account does not use yet is not made for this.
    if ((await home.baseUrl()) === baseUrl) {
      await home.store.put(keyOf(home.account), encodeJson({ schema: 1, baseUrl, atMs: Date.now(), voices }));
    }
    return new Set(voices);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    session.terminal.warn(`voice_id is not checked: ${error.message}`);
    return undefined;
  }
}

function keyOf(account: string): string {
  return `${account}/reads/known-voices.json`;
}
