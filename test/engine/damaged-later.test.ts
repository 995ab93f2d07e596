// 6-O7: a database that is damaged while the engine runs, and found to be so when its server starts again.
import { chmodSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type { ProcessMark } from '../../src/engine/keeper.js';
import { startServer } from '../../src/engine/server.js';
import { answersFor } from '../../src/engine/server-answers.js';

/** Answers as the server does, and ends as it does where its database is none. */
const SERVER = `#!${process.execPath}
const { existsSync, readFileSync, writeFileSync } = require('node:fs');
if (existsSync('temporal.db') && readFileSync('temporal.db', 'utf8') !== 'sound') {
  console.error('unable to start server: file is not a database (26)');
  process.exit(1);
}
writeFileSync('temporal.db', 'sound');
const server = require('node:http2').createServer();
server.on('stream', (stream) => stream.respond({ 'grpc-status': '0' }, { endStream: true }));
server.listen(Number(process.argv[process.argv.indexOf('--port') + 1]), '127.0.0.1');
`;

test('is set aside by itself', async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'callsheet-damaged-'));
  const temporalCli = join(dataFolder, 'server.cjs');
  writeFileSync(temporalCli, SERVER);
  chmodSync(temporalCli, 0o755);
  let address = '';
  let running: ProcessMark | null = null;
  const aside: string[] = [];
  const keeper = await startServer({
    ...{ temporalCli, dataFolder, log: join(dataFolder, 'server.log'), environment: process.env, uiPort: null },
    signal: new AbortController().signal,
    onAddress: (told) => {
      address = told;
    },
    onChange: (mark) => {
      running = mark;
    },
    onDeath: () => undefined,
    onSetAside: (path) => void aside.push(path),
  });
  try {
    writeFileSync(join(dataFolder, 'temporal.db'), 'torn');
    process.kill((running as ProcessMark | null)?.pid ?? 0, 'SIGKILL');
    await vi.waitUntil(async () => aside.length > 0 && (await answersFor('default', address)), 10_000);
    expect(readdirSync(dataFolder).filter((name) => name.startsWith('temporal.db.damaged-'))).toHaveLength(1);
  } finally {
    await keeper.stop(1_000);
  }
}, 30_000);
