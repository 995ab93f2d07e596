// Downloads argv[2] into the store argv[3] (a folder or s3://…, by the environment's settings), argv[4] times side by
// side; reports seconds and memory in one message.
import { createDownloader } from '../../src/service/download.js';
import { createPlaces } from '../../src/store/open-store.js';

const [, , url = '', location = '', times = '1', s3 = '{"settings":{},"environment":{}}'] = process.argv;
const downloader = createDownloader({ allowLoopback: true, userAgent: 'callsheet/bench' });
const store = createPlaces(JSON.parse(s3)).openStore(location, 'shared');
// A worker has loaded all of this long before.
const warm = await downloader.fetchOutput(new URL('/1', url).href);
await store.putStream('warm.bin', warm.stream, { attemptName: 'warm', ifExists: 'replace' });
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
