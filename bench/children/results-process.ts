// Assembles the results of batch argv[4] from the home argv[2], account argv[3]; reports seconds and memory.
import { writeBatchResults } from '../../activities/files/result-files.js';
import { openAccountRecords } from '../../src/home/account-records.js';
import { createFolderStore } from '../../src/store/folder.js';

const [, , root = '', account = '', batch = '', generation = ''] = process.argv;
const store = createFolderStore(root);
const sources = {
  ...openAccountRecords(store, account),
  openStore: (location: string) => createFolderStore(location, { access: 'shared' }),
  now: () => Date.now(),
};
const startedMs = performance.now();
await writeBatchResults(sources, batch, generation);
const seconds = (performance.now() - startedMs) / 1_000;
process.send?.({ seconds, rssMb: process.resourceUsage().maxRSS / 1_024 });
process.disconnect?.();
