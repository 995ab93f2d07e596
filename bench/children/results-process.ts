// Assembles the results of batch argv[4] from the home argv[2], account argv[3]; reports seconds and memory.
import { writeBatchResults } from '../../src/activities/result-files.js';
import { createFolderStore } from '../../src/store/folder.js';
import { openHome } from '../../src/store/home.js';
import { createLedger } from '../../src/store/ledger.js';
import { createRecords } from '../../src/store/records.js';
import { createRows } from '../../src/store/rows.js';

const [, , root = '', account = '', batch = '', generation = ''] = process.argv;
const store = createFolderStore(root);
const sources = {
  home: openHome(store, account),
  ledger: createLedger(store, account),
  rows: createRows(store, account),
  records: createRecords(store, account),
  openStore: (location: string) => createFolderStore(location, { access: 'shared' }),
  now: () => Date.now(),
};
const startedMs = performance.now();
await writeBatchResults(sources, batch, generation);
const seconds = (performance.now() - startedMs) / 1_000;
process.send?.({ seconds, rssMb: process.resourceUsage().maxRSS / 1_024 });
process.disconnect?.();
