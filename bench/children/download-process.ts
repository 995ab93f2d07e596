// Downloads argv[2] into the folder argv[3], argv[4] times side by side; reports seconds and memory in one message.
import { createDownloader } from '../../src/service/download.js';
import { createFolderStore } from '../../src/store/folder.js';

const [, , url = '', root = '', times = '1'] = process.argv;
const downloader = createDownloader({ allowLoopback: true, userAgent: 'callsheet/bench' });
const store = createFolderStore(root, { access: 'shared' });
const rssBefore = process.resourceUsage().maxRSS;
const startedMs = performance.now();
await Promise.all(
  Array.from({ length: Number(times) }, async (_, i) => {
    const { stream } = await downloader.fetchOutput(url);
    await store.putStream(`media/${i}.bin`, stream, { attemptName: `row-${i}`, ifExists: 'fail' });
  }),
);
const seconds = (performance.now() - startedMs) / 1_000;
process.send?.({ seconds, rssGrowthMb: (process.resourceUsage().maxRSS - rssBefore) / 1_024 });
await downloader.close();
process.disconnect?.();
