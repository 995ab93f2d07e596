// Downloads the official Temporal program by the SDK's own means. Arguments: the folder to put it in, the version.
import { createRequire } from 'node:module';

const [folder, version] = process.argv.slice(2);
if (folder === undefined || version === undefined) throw new Error('usage: download-temporal.mjs FOLDER VERSION');

const { Runtime } = createRequire(import.meta.url)('@temporalio/worker');
const runtime = Runtime.instance();
try {
  // The SDK downloads when it starts a server: that it starts is a test of what came.
  const server = await runtime.createEphemeralServer({
    type: 'dev-server',
    exe: {
      type: 'cached-download',
      downloadDir: folder,
      version,
      ttl: 86_400_000,
      sdkName: 'callsheet',
      sdkVersion: version,
    },
    ip: '127.0.0.1',
    port: null,
    ui: false,
    uiPort: null,
    namespace: 'default',
    dbFilename: null,
    log: { format: 'pretty', level: 'error' },
    extraArgs: [],
  });
  await runtime.shutdownEphemeralServer(server);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
