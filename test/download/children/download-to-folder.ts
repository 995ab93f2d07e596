// Downloads argv[2] into the folder argv[3] as argv[4]; prints the stored file and how much memory it took.
import { createDownloader } from '../../../src/service/download.js';
import { createFolderStore } from '../../../src/store/folder.js';

const [, , url = '', root = '', key = ''] = process.argv;

async function downloadToFolder(): Promise<void> {
  const downloader = createDownloader({ allowLoopback: true, userAgent: 'callsheet/test' });
  const before = process.resourceUsage().maxRSS;
  const { stream } = await downloader.fetchOutput(url);
  const file = await createFolderStore(root).putStream(key, stream, { attemptName: 'row-1', ifExists: 'fail' });
  const grownBytes = (process.resourceUsage().maxRSS - before) * 1_024;
  process.stdout.write(JSON.stringify({ ...file, grownBytes }));
  await downloader.close();
}

void downloadToFolder();
