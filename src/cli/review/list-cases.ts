import { formatCredits } from '../../domain/money.js';
import { type HomeAccess, openHomeAccess } from '../access/home-access.js';
import { type KnownBatch, knownBatch } from '../batch/known-batch.js';
import { commandHint } from '../hints.js';
import type { Session } from '../session.js';
import { plain } from '../terminal.js';
import { amount } from '../views/counts.js';
import { formatTable } from '../views/table.js';
import { caseJson, type ListedCase, listedCase, reasonSentence, stakeText, sumOf, sumText } from './case-list.js';
import { caseRows } from './case-row.js';

/** Shows every row that needs a person, of one batch or of all. */
export async function listCases(session: Session, batch: string | undefined): Promise<void> {
  const { terminal, config } = session;
  const access = openHomeAccess(config);
  const batches = batch === undefined ? await allBatches(access) : [await knownBatch(session, access, batch)];
  const cases: ListedCase[] = [];
  for (const known of batches) for await (const found of caseRows(access, known)) cases.push(listedCase(found));
  const sum = sumOf(cases);
  if (session.isJson) {
    const { rows, stakeNano, unknown } = sum;
    return terminal.json({
      schema: 1,
      account: config.account.name,
      rows: cases.map(caseJson),
      total: { rows, at_stake: formatCredits(stakeNano), unknown_rows: unknown },
    });
  }
  if (cases.length === 0) return terminal.note('no row needs a person');
  const lines = cases.map((one) => [
    one.batch,
    one.id,
    one.status,
    stakeText(one.stakeNano),
    plain(one.reason ?? reasonSentence(one), 100),
  ]);
  terminal.data(formatTable(lines, { head: ['batch', 'row', 'status', 'at stake', 'why'] }));
  terminal.note(`${amount(sum.rows, 'row needs', 'rows need')} a person; at stake: ${sumText(sum)}`);
  const [first] = cases;
  if (first) terminal.note(`look at one: ${commandHint(session, `review show ${first.batch} ${first.id}`)}`);
}

/** Every batch of the account that was run. */
export async function allBatches({ home, rows }: HomeAccess): Promise<KnownBatch[]> {
  const known: KnownBatch[] = [];
  for (const batch of await home.batches()) {
    const bound = await home.readBatch(batch);
    const current = bound && (await rows.currentGeneration(batch));
    const generation = current === undefined ? undefined : await rows.generation(batch, current);
    if (bound && generation) known.push({ batch, out: bound.out, createdAtMs: bound.createdAtMs, generation });
  }
  return known;
}
