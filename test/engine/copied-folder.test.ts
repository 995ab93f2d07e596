// A data folder that was copied while its engine ran: what the copy brings along is none of its own.
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { ask, type ControlReply, serveControl } from '../../src/engine/control.js';
import { isEngineGone } from '../../src/engine/engine-client.js';
import { createRecordKeeper } from '../../src/engine/engine-record.js';
import { lives, markOf } from '../../src/engine/keeper.js';
import { takeFolder } from '../../src/engine/locks.js';
import { type EnginePlaces, enginePlaces } from '../../src/engine/places.js';
import { leftOpen } from '../../src/engine/stop-engine.js';
import { endEngine } from './engine-under-test.js';

const closing: (() => unknown)[] = [];

afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A data folder whose engine answers, and whose processes live: this one and one more. */
async function runningFolder() {
  const parent = realpathSync(mkdtempSync(join(tmpdir(), 'callsheet-copied-')));
  mkdirSync(join(parent, 'first'));
  const places = enginePlaces(join(parent, 'first'));
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  closing.push(() => child.kill('SIGKILL'));
  const worker = markOf(child.pid);
  const record = createRecordKeeper('test', places, () => undefined);
  record.save({ worker, openBatches: 2 });
  const asked: string[] = [];
  const control = await serveControl(places.socket, async ({ cmd }): Promise<ControlReply> => {
    asked.push(cmd);
    return { ok: false, code: 'heard', message: '' };
  });
  closing.push(() => control.close());
  const unlock = takeFolder(places);
  return { places, worker, asked, unlock, second: join(parent, 'second') };
}

function copied(from: string, to: string): void {
  cpSync(from, to, { recursive: true, filter: (path) => !path.endsWith('.sock') });
}

const look = (places: EnginePlaces) => ask(places, { cmd: 'status' }, 1_000);

test('commands of the copy neither ask nor end the engine of the original', async () => {
  const { places, worker, asked, second } = await runningFolder();
  copied(places.dataFolder, second);
  const copy = enginePlaces(second);
  expect(await look(copy)).toBe('none');
  expect(await isEngineGone(second)).toBe(true);
  expect(leftOpen(second)).toBe(0);
  expect(await endEngine(second)).toBe('none');
  expect([lives(worker), asked]).toEqual([true, []]);
  expect(await look(places)).toMatchObject({ code: 'heard' });
});

test('nor a later engine of the original, whose socket is where the copy has it on record', async () => {
  const { places, asked, second } = await runningFolder();
  copied(places.dataFolder, second);
  const later = { ...JSON.parse(readFileSync(places.record, 'utf8')), supervisor: { pid: 1, mark: 'later' } };
  writeFileSync(places.record, JSON.stringify(later));
  expect([await look(enginePlaces(second)), asked]).toEqual(['none', []]);
  expect(await look(places)).toMatchObject({ code: 'heard' });
});

test('an engine of the copy does not begin while that of the original runs, and says which one that is', async () => {
  const { places, unlock, second } = await runningFolder();
  copied(places.dataFolder, second);
  const why = `${second} was copied from ${places.dataFolder} while its engine ran`;
  expect(() => takeFolder(enginePlaces(second))).toThrow(why);
  expect(() => takeFolder(enginePlaces(second))).toThrow(`engine stop --data '${places.dataFolder}'`);
  expect(takeFolder(places), 'the original has its engine').toBeUndefined();
  unlock?.();
});

test('a folder that was moved keeps its engine', async () => {
  const { places, second } = await runningFolder();
  renameSync(places.dataFolder, second);
  mkdirSync(places.dataFolder);
  writeFileSync(places.record, '{"schema":1}');
  expect(await isEngineGone(second)).toBe(false);
  expect(await look(enginePlaces(second))).toMatchObject({ code: 'heard' });
});
