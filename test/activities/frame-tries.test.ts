// Only some workers have ffmpeg: the others pass a row on, until it is said that none takes its frame (design 9, When it runs).
import { afterEach, expect, it, vi } from 'vitest';
import { editRow, fed } from '../support/chain-rows.js';
import { fedByFilm } from './support/fed-row.js';

afterEach(() => vi.unstubAllEnvs());

/** The row of a frame, as a worker without ffmpeg has it before it in its so many-th try. */
async function tryOf(attempt: number) {
  const edit = editRow('edit', { ...fed('film', 0), frame: 'last' }, { index: 1 });
  const { folder, fetchInputs } = await fedByFilm(edit, { bytes: Buffer.from('a film') });
  vi.stubEnv('PATH', folder);
  return fetchInputs(attempt);
}

it('another worker has its turn soon, many times over', async () => {
  const again = { type: 'frames.unavailable', nonRetryable: false, nextRetryDelay: 2_000 };
  await expect(tryOf(1)).rejects.toMatchObject(again);
  await expect(tryOf(59)).rejects.toMatchObject(again);
});

it('in the end the row is not begun, and says why', async () => {
  expect(await tryOf(60)).toEqual({
    reason: 'input_unfit',
    text: 'frames of films need ffmpeg, which no worker has that took the row',
  });
});
