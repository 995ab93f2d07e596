import { type DamagedDocument, type Repair, repairDocument, verifyDocuments } from '../../home/verify-documents.js';
import { openHomeAccess } from '../access/home-access.js';
import { EXIT } from '../exit-codes.js';
import type { Session } from '../session.js';
import { amount } from '../views/counts.js';

const ADVICE = {
  again: '',
  run: ': run its manifest again, which writes it anew',
  kept: ': it stays, and is taken for the worst that it can say',
} as const;

/** Sets aside every damaged document that can be made anew, and says of each what became of it; gives the exit code. */
export async function repairAll(session: Session): Promise<number> {
  const { terminal, config } = session;
  const { home } = openHomeAccess(config);
  const damaged: DamagedDocument[] = [];
  const documents = await verifyDocuments(home, (one) => damaged.push(one));
  const atMs = Date.now();
  const done: { key: string; repair: Repair }[] = [];
  for (const one of damaged) {
    const repair = await repairDocument(home, one, atMs);
    done.push({ key: one.key, repair });
    if (!session.isJson) terminal.data(`${repair}  ${one.key}${repair === 'left' ? ADVICE[one.sort.mended] : ''}`);
  }
  const left = done.filter(({ repair }) => repair === 'left').length;
  if (session.isJson) terminal.json({ schema: 1, account: config.account.name, documents, damaged: done });
  else if (damaged.length === 0) terminal.note(`${amount(documents, 'document')}: none is damaged`);
  else {
    const kept = `${config.home}/${home.account}/set-aside/${atMs}`;
    terminal.note(`what was set aside lies in ${kept}; rows without a record go on when their manifest is run again`);
  }
  return left === 0 ? EXIT.done : EXIT.someNotDone;
}
