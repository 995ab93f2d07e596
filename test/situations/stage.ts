// One real engine for a whole process, and the homes that its batches left, kept as files in memory.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Emulator, startEmulator } from '../../emulator/emulator.js';
import { findTemporalCli } from '../../scripts/lib/temporal-cli.mjs';
import { csvText } from '../../src/manifest/csv-text.js';
import { foldersBelow, KEY, type Place, runAt, SPEED } from './place.js';

const BIN = fileURLToPath(new URL('../../bin/callsheet.js', import.meta.url));

/** What is found below a place, by relative path, with the place's root and service to be put in. */
export type Template = ReadonlyMap<string, Buffer>;

export const LEFT_BEHIND = ['ended', 'review', 'failed', 'open'] as const;
export type LeftBehind = (typeof LEFT_BEHIND)[number];

export interface Stage {
  root: string;
  emulator: Emulator;
  data: string;
  templates: Readonly<Record<LeftBehind, Template>>;
  /** A place whose data folder is that of the engine. */
  place(account: string): Place;
  /** Starts the engine again where a command stopped it. */
  wake(): void;
  close(): Promise<void>;
}

const COLUMNS = ['id', 'kind', 'model', 'prompt', 'width', 'height', 'duration'];
const RESTRICTED = 'svc-alpha.1-schnell';
const LOST = 'an answer that gets lost';

const image = (id: string, model = 'svc-alpha.2-klein-4b', prompt = `picture ${id}`) =>
  cellsOf([id, 'svc/image', model, prompt, '64', '64', '']);
const film = (id: string) =>
  cellsOf([id, 'vendor-f/video', 'vendor-f-3.1-fast-generate-preview', `film ${id}`, '', '', '4']);

/** The rows of each batch that is left behind, as its manifest has them. */
export const ROWS: Readonly<Record<LeftBehind, readonly Record<string, string>[]>> = {
  ended: [image('a1'), image('a2')],
  review: [image('a1'), image('a2', undefined, LOST)],
  failed: [image('a1'), image('a2', RESTRICTED)],
  open: [film('a1'), film('a2'), film('a3')],
};

export async function openStage(): Promise<Stage> {
  const root = mkdtempSync(join(tmpdir(), 'callsheet-situations-'));
  const found = findTemporalCli(process.env);
  if (!('path' in found)) throw new Error('no Temporal program: `npm run setup` gets one');
  const environment = { ...process.env };
  process.env.CALLSHEET_TEMPORAL_CLI = found.path;
  process.env.AWS_EC2_METADATA_DISABLED = 'true';
  process.env.AWS_ENDPOINT_URL = 'http://127.0.0.1:9';
  const emulator = await openEmulator();
  const data = join(root, 'engine');
  const keys = new Map([[KEY, 'default']]);
  const place = (account: string): Place => {
    const folders = foldersBelow(join(root, account));
    const payer = account.startsWith('live') ? account : 'default';
    const key = payer === 'default' ? KEY : `${KEY}-${payer}`;
    if (!keys.has(key))
      emulator.setKeys([...keys.set(key, payer)].map(([one, account]) => ({ key: one, state: 'active', account })));
    return {
      emulator,
      ...folders,
      data,
      account,
      key,
      payer,
      names: { batch: account, rows: ['a1', 'a2'], manifest: '' },
    };
  };
  const ask = (...args: string[]): void => {
    const env = { ...process.env, CALLSHEET_TEMPORAL_CLI: found.path, CALLSHEET_DATA: data, CALLSHEET_API_KEY: KEY };
    const given = { ...env, CALLSHEET_BASE_URL: emulator.url, CALLSHEET_HOME: join(root, 'waker') };
    spawnSync(process.execPath, [BIN, ...args, '--time-scale', String(SPEED)], { env: given, stdio: 'ignore' });
  };
  const close = async (): Promise<void> => {
    ask('engine', 'stop', '--now');
    await emulator.close();
    rmSync(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
    process.env = environment;
  };
  try {
    const templates = await leaveAll(place);
    // From here on a command that would start an engine of its own is told that there is no program for it.
    process.env.CALLSHEET_TEMPORAL_CLI = join(root, 'no-temporal');
    return { root, emulator, data, templates, place, close, wake: () => ask('resume', '--all', '--account', 'waker') };
  } catch (error) {
    await close();
    throw error;
  }
}

async function leaveAll(place: Stage['place']): Promise<Stage['templates']> {
  // The first one starts the engine.
  const ended = await leave('ended', place('ended'), 0);
  const [failed, review, open] = await Promise.all([
    leave('failed', place('failed'), 1),
    leave('review', place('review'), 3),
    leave('open', place('open'), 130),
  ]);
  return { ended, failed, review, open };
}

/** A service as every draw meets it. */
export function openEmulator(): Promise<Emulator> {
  return startEmulator({
    ...{ speed: SPEED, plan: 'enterprise', balanceCredits: '100000', keys: [{ key: KEY, state: 'active' }] },
    renderSeconds: { 'vendor-f': [1_400, 1_600] },
    restrictedModels: [RESTRICTED],
    faults: [
      {
        match: { route: '*', bodyContains: LOST },
        action: { do: 'reset-before-answer', created: true },
      },
    ],
  });
}

/** Runs a batch until it stands as it shall be left. */
async function leave(name: LeftBehind, place: Place, exitCode: number): Promise<Template> {
  writeManifest(place, name, ROWS[name]);
  const run = (interruptAfterMs: number) => runAt(place, ['run', `${name}.csv`, '--yes'], { interruptAfterMs });
  const films = () => place.emulator.truth().jobs.filter(({ kind }) => kind === 'vendor-f/video').length;
  let ended = await run(exitCode === 130 ? 3_000 : 200_000);
  // On a busy machine Ctrl-C came before anything was submitted.
  while (ended.exitCode === 130 && films() < ROWS.open.length) ended = await run(3_000);
  if (ended.exitCode !== exitCode) throw new Error(`the batch '${name}' ended with ${ended.exitCode}: ${ended.stderr}`);
  const root = dirname(place.home);
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const files = paths.map((path): [string, Buffer] => [relative(root, path), readFileSync(path)]);
  return new Map(files.map(([path, bytes]) => [path, marked(bytes, root, place.emulator.url)]));
}

const ROOT = '@root@';
const URL_MARK = '@service@';

function marked(bytes: Buffer, root: string, url: string): Buffer {
  const text = bytes.toString('latin1');
  const changed = text.replaceAll(root, ROOT).replaceAll(url, URL_MARK);
  return changed === text ? bytes : Buffer.from(changed, 'latin1');
}

/** The template as it lies below a root of its own. */
export function placed(template: Template, root: string, url: string): Template {
  return new Map(
    [...template].map(([path, bytes]) => {
      const text = bytes.toString('latin1');
      if (!text.includes(ROOT) && !text.includes(URL_MARK)) return [path, bytes];
      return [path, Buffer.from(text.replaceAll(ROOT, root).replaceAll(URL_MARK, url), 'latin1')];
    }),
  );
}

export function writeTemplate(template: Template, root: string): void {
  for (const folder of new Set([...template.keys()].map(dirname))) mkdirSync(join(root, folder), { recursive: true });
  for (const [path, bytes] of template) writeFileSync(join(root, path), bytes, { mode: 0o600 });
}

export function writeManifest(place: Place, name: string, rows: readonly Record<string, string>[]): void {
  mkdirSync(place.work, { recursive: true });
  const lines = rows.map((row) => COLUMNS.map((column) => row[column] ?? ''));
  writeFileSync(join(place.work, `${name}.csv`), csvText([COLUMNS, ...lines]));
}

function cellsOf(cells: string[]): Record<string, string> {
  return Object.fromEntries(COLUMNS.map((column, at) => [column, cells[at] ?? '']));
}
