/** What the validator lets through, the service takes: random rows of every kind, posted to the emulator. */
import fc from 'fast-check';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Emulator, startEmulator } from '../../emulator/emulator.js';
import type { Answer } from '../../src/domain/exchange.js';
import type { Kind } from '../../src/domain/kind.js';
import type { Row } from '../../src/domain/row.js';
import { KINDS } from '../../src/kinds/facts.js';
import { adapterFor } from '../../src/kinds/index.js';
import { checkText, csv } from '../manifest/support.js';
import { type KeptMedia, keptMedia } from '../support/resolved-media.js';
import { IS_KEPT, propertyRuns, SEED } from './property-runs.js';
import { type Cells, randomCells } from './random-rows.js';

/** Rows that the validator must let through and the emulator take, per kind; a kept run asks for 10,000. */
const ROWS = propertyRuns(200);
const ROWS_PER_MANIFEST = 250;
/** Manifests without one good row: the rows are then too wild to say anything. */
const BARREN_MAX = 20;
const AT_ONCE = 8;

let emulator: Emulator;
let agent: Agent;

beforeAll(async () => {
  // Renders last some milliseconds, and the plan's requests per minute grow with the speed.
  emulator = await startEmulator({ speed: 100_000, plan: 'enterprise', balanceCredits: '9999999' });
  agent = new Agent({ connections: AT_ONCE, pipelining: 1 });
});
afterAll(async () => {
  await agent.close();
  await emulator.close();
});

describe(`any row that the validator accepts, the emulator accepts (seed ${SEED}, ${ROWS} rows per kind)`, () => {
  it.each(KINDS)(
    '%s',
    async (kind) => {
      const tally = { taken: 0, refused: 0 };
      let barren = 0;
      for (let manifest = 0; tally.taken < ROWS && barren < BARREN_MAX; manifest += 1) {
        const accepted = await acceptedRows(kind, SEED + manifest);
        if (accepted.rows.length === 0) barren += 1;
        tally.refused += ROWS_PER_MANIFEST - accepted.rows.length;
        const open = accepted.rows.slice(0, ROWS - tally.taken);
        tally.taken += open.length;
        const lanes = Array.from({ length: AT_ONCE }, async () => {
          for (let row = open.shift(); row !== undefined; row = open.shift()) await expectTaken(row, accepted);
        });
        await Promise.all(lanes);
      }
      if (IS_KEPT) console.info(`${kind}: ${tally.taken} taken, ${tally.refused} refused before any request`);
      expect(tally.taken).toBe(ROWS);
    },
    20_000 + ROWS * 40,
  );
});

interface Accepted {
  rows: Row[];
  cells: readonly Cells[];
  media: KeptMedia;
  seed: number;
}

/** The good ones of a manifest of random rows; nothing may be refused without a place and a sentence. */
async function acceptedRows(kind: Kind, seed: number): Promise<Accepted> {
  const cells = fc
    .sample(randomCells(kind), { seed, numRuns: ROWS_PER_MANIFEST })
    .map((row, at) => ({ id: `r${at}`, kind, ...row }));
  const media = keptMedia();
  const voices = async () => new Set(['v-amber-en', 'v-heath-ja']);
  const checked = await checkText(csv(...cells), { keepBlob: media.keepBlob, voices });
  for (const line of checked.printed) expect(line).toMatch(/^<stdin>:\d+:\d+: B\d+ ./u);
  return { rows: checked.passed, cells, media, seed };
}

async function expectTaken(row: Row, { cells, media, seed }: Accepted): Promise<void> {
  const adapter = adapterFor(row.kind);
  const { method, path, body } = adapter.submitRequest(row, media.resolve(row), { responseFormat: 'url' });
  const answer = await post(method, path, body);
  const said = `${path} answered ${answer.status} ${Buffer.from(answer.body).toString().slice(0, 300)}`;
  const evidence = `seed ${seed}, row ${JSON.stringify(cells[row.index])?.slice(0, 2_000)}: ${said}`;
  expect(answer.status, evidence).toBe(200);
  expect(adapter.readSubmit(answer).reading, evidence).toBe(adapter.flow === 'sync' ? 'done' : 'created');
}

/** One POST; a slot that is still taken is waited for, since the cap is not what is looked at here. */
async function post(method: 'GET' | 'POST', path: string, body: unknown): Promise<Answer> {
  for (;;) {
    const response = await request(emulator.url + path, {
      method,
      dispatcher: agent,
      headers: {
        authorization: 'Bearer sk-svc-emulator',
        'user-agent': 'test/1.0',
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    });
    const bytes = new Uint8Array(await response.body.arrayBuffer());
    if (response.statusCode !== 429) {
      return { status: response.statusCode, contentType: 'application/json', retryAfter: undefined, body: bytes };
    }
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
