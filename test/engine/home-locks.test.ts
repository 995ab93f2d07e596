// The lock by which one engine serves an account of a home, while several commands hand the account over at once.
import { renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createHomeLocks } from '../../src/engine/locks.js';
import type { RegistrationAnswer } from '../../src/engine/registration.js';
import { temporaryFolder } from '../store/support/temporary.js';
import { account } from './engine-under-test.js';

const TAKEN = { ok: true, key: 'good' } as const;
const refused = (code: string) => ({ ok: false, code, message: code }) as const;

/** Two engines of one home; the first is asked twice at once, and its worker answers when the test says so. */
function twoEngines() {
  const home = temporaryFolder();
  const registration = account('one', { home });
  const answers: ((answer: RegistrationAnswer) => void)[] = [];
  let isServed = false;
  const register = () =>
    new Promise<RegistrationAnswer>((resolve) =>
      answers.push((answer) => {
        isServed ||= answer.ok;
        resolve(answer);
      }),
    );
  const [first, second] = [createHomeLocks(() => isServed), createHomeLocks(() => true)];
  const asked = [first.serving(registration, register), first.serving(registration, register)];
  const left = () => {
    isServed = false;
    first.left();
  };
  return { answers, asked, left, other: () => second.serving(registration, async () => TAKEN) };
}

test('a command whose account is refused does not give up the lock of another one’s', async () => {
  for (const order of [
    [0, 1],
    [1, 0],
  ] as const) {
    const { answers, asked, other } = twoEngines();
    answers[order[0]]?.(refused('contradiction'));
    expect(await asked[order[0]]).toMatchObject({ code: 'contradiction' });
    expect(await other()).toMatchObject({ code: 'home_taken' });
    answers[order[1]]?.(TAKEN);
    expect(await asked[order[1]]).toEqual(TAKEN);
    expect(await other()).toMatchObject({ code: 'home_taken' });
  }
});

test('an account that every command was refused is free for another engine', async () => {
  const { answers, asked, other } = twoEngines();
  for (const answer of answers) answer(refused('key_refused'));
  await Promise.all(asked);
  expect(await other()).toEqual(TAKEN);
});

test('a worker that was silent for too long may serve the account all the same', async () => {
  const { answers, asked, other } = twoEngines();
  for (const answer of answers) answer(refused('worker_timeout'));
  await Promise.all(asked);
  expect(await other()).toMatchObject({ code: 'home_taken' });
});

test('an account that the worker has let go is free for another engine, unless a command hands it over again', async () => {
  const { answers, asked, left, other } = twoEngines();
  answers[0]?.(TAKEN);
  await asked[0];
  left();
  expect(await other(), 'the second command waits for the worker’s word').toMatchObject({ code: 'home_taken' });
  answers[1]?.(TAKEN);
  await asked[1];
  expect(await other()).toMatchObject({ code: 'home_taken' });
  left();
  expect(await other()).toEqual(TAKEN);
});

test('a home that the worker does not take for an account that it serves is free for another engine', async () => {
  const locks = createHomeLocks(() => true);
  await locks.serving(account('one', { home: temporaryFolder() }), async () => TAKEN);
  const elsewhere = account('one', { home: temporaryFolder() });
  await locks.serving(elsewhere, async () => refused('contradiction'));
  expect(await createHomeLocks(() => true).serving(elsewhere, async () => TAKEN)).toEqual(TAKEN);
});

test('the home under another name, or moved since, is the same home of the same engine', async () => {
  const folder = temporaryFolder();
  const [home, link, moved] = [join(folder, 'home'), join(folder, 'link'), join(folder, 'moved')];
  symlinkSync(home, link);
  const locks = createHomeLocks(() => true);
  const servedFrom = (place: string, by = locks) => by.serving(account('one', { home: place }), async () => TAKEN);
  expect(await servedFrom(home)).toEqual(TAKEN);
  expect(await servedFrom(link)).toEqual(TAKEN);
  expect(
    await servedFrom(
      link,
      createHomeLocks(() => true),
    ),
  ).toMatchObject({ code: 'home_taken' });
  renameSync(home, moved);
  expect(await servedFrom(moved)).toEqual(TAKEN);
});
