// Only some workers have ffmpeg: the others pass a row on, until it is said that none takes its frame; what befalls ffmpeg
// is not the film's fault (design 9, When it runs).
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { png } from '../manifest/media-samples.js';
import { editRow, fed } from '../support/chain-rows.js';
import { fedByFilm } from './support/fed-row.js';

afterEach(() => vi.unstubAllEnvs());

/** The row of a frame, as a worker has it before it whose ffmpeg is this script, or which has none. */
async function rowOfFrame(ffmpeg?: string) {
  const edit = editRow('edit', { ...fed('film', 0), frame: 'last' }, { index: 1 });
  const { folder, fetchInputs } = await fedByFilm(edit, { bytes: Buffer.from('a film') });
  vi.stubEnv('PATH', folder);
  if (ffmpeg !== undefined) writeFileSync(join(folder, 'ffmpeg'), `#!/bin/sh\n${ffmpeg}\n`, { mode: 0o755 });
  return { folder, fetchInputs };
}

async function tryOf(attempt: number, ffmpeg?: string, stops?: number) {
  return (await rowOfFrame(ffmpeg)).fetchInputs(attempt, stops && { stops });
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

it.each([
  ['SIGKILL', 'kill -9 $$'],
  ['exit code 255', 'exit 255'],
])(
  'an ffmpeg that was ended says nothing of the film: it has some tries, and the row says why (%s)',
  async (how, script) => {
    await expect(tryOf(1, script)).rejects.toMatchObject({ type: 'frames.unavailable', nonRetryable: false });
    // Others that have none passed the row on before.
    await expect(tryOf(50, script, 4)).rejects.toMatchObject({ type: 'frames.unavailable' });
    expect(await tryOf(51, script, 5)).toEqual({
      reason: 'input_missing',
      text: `media/film.mp4: ffmpeg was ended (${how}) before it had the last frame`,
    });
  },
);

it('a film that ffmpeg cannot read does not fit, at once', async () => {
  const text = 'media/film.mp4 of row film: ffmpeg finds no last frame in it';
  expect(await tryOf(1, 'exit 1')).toEqual({ reason: 'input_unfit', text });
});

it('rows that take the same frame at once have it taken once', async () => {
  const script = 'for frame; do :; done; echo run >> "$0.runs"; /bin/cp "$0.png" "$frame"';
  const { folder, fetchInputs } = await rowOfFrame(script);
  writeFileSync(join(folder, 'ffmpeg.png'), png(64, 64));
  expect(await Promise.all([1, 1, 1].map((attempt) => fetchInputs(attempt)))).toEqual([true, true, true]);
  expect(readFileSync(join(folder, 'ffmpeg.runs'), 'utf8')).toBe('run\n');
});
