// A data folder as an earlier build left it when it was killed in the middle of a batch: the home, the engine's database
// with its open workflows, and the finished files. Places, handles and times are those of the test that unpacks it.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';
import type { Rig } from './rig.js';

const FIXTURE = fileURLToPath(new URL('../fixtures/earlier-build/', import.meta.url));
/** The home keeps what ended by spans of ten minutes, and readings by spans of 100,000 seconds: both name folders. */
const BOOK_SPAN_MS = 600_000;
const READINGS_SPAN_MS = 100_000_000;

/** Unpacks it as `rig.data` and `rig.out`; `handles` gives the handle of a row's job where the row has one. */
export async function unpackEarlierBuild(rig: Rig, handles: ReadonlyMap<string, string>): Promise<void> {
  const files = JSON.parse(await readFile(join(FIXTURE, 'home.json'), 'utf8')) as Record<string, string>;
  const newestMs = Math.max(
    ...Object.entries(files).flatMap(([path, text]) =>
      path.includes('/attempts/') ? (text.match(/(?<="atMs":)\d{13}/g) ?? []).map(Number) : [],
    ),
  );
  const shiftMs = Math.floor((Date.now() - newestMs) / BOOK_SPAN_MS) * BOOK_SPAN_MS;
  const shifted = (text: string) => text.replaceAll(/\b\d{13}\b/g, (ms) => String(Number(ms) + shiftMs));
  for (const [path, text] of Object.entries(files)) {
    const placed = shifted(text)
      .replaceAll('{out}', rig.out)
      .replaceAll('{folder}', rig.folder)
      .replaceAll('{port}', String(rig.emulator.port));
    await put(join(rig.data, 'home', placeOf(shifted(path))), withHandle(path, placed, handles));
  }
  const outputs = JSON.parse(await readFile(join(FIXTURE, 'out.json'), 'utf8')) as Record<string, string>;
  for (const [path, base64] of Object.entries(outputs)) await put(join(rig.out, path), Buffer.from(base64, 'base64'));
  await put(join(rig.data, 'temporal.db'), brotliDecompressSync(await readFile(join(FIXTURE, 'temporal.db.br'))));
  await rig.write('shots.csv', await readFile(join(FIXTURE, 'shots.csv')));
}

function placeOf(path: string): string {
  return path.replace(/\/balance\/\d{13}\/(\d{13})/, (_, atMs: string) => {
    return `/balance/${Math.floor(Number(atMs) / READINGS_SPAN_MS) * READINGS_SPAN_MS}/${atMs}`;
  });
}

function withHandle(path: string, text: string, handles: ReadonlyMap<string, string>): string {
  const row = /\/attempts\/\w\w\/([^/]+)\//.exec(path)?.[1];
  const handle = row === undefined ? undefined : handles.get(row);
  return handle === undefined ? text : text.replace(/"handle":"\d+"/, `"handle":"${handle}"`);
}

async function put(path: string, bytes: string | Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(path, bytes, { mode: 0o600 });
}
