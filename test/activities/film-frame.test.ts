// Frames of films: which one, out of what, and what is refused (design 9, When it runs).
import { execFileSync } from 'node:child_process';
import { createReadStream, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type Film, hasFfmpeg, takeFrame } from '../../activities/files/film-frame.js';
import { probeMedia } from '../../src/manifest/media/probe-media.js';
import { temporaryFolder } from '../store/support/temporary.js';
import { canMount, mountDisk } from '../support/small-disk.js';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

function film(name: string, ...args: string[]): Film {
  const path = join(folder, name);
  execFileSync('ffmpeg', ['-v', 'error', '-y', ...args, path]);
  return filmAt(path);
}

function filmAt(path: string, contentType = 'video/mp4'): Film {
  return { contentType, bytes: statSync(path).size, read: async () => createReadStream(path) };
}

/** The first pixel of a picture, as `r,g,b`. */
function pixelOf(png: Buffer): string {
  const path = join(folder, 'frame.png');
  writeFileSync(path, png);
  const raw = execFileSync('ffmpeg', ['-v', 'error', '-i', path, '-f', 'rawvideo', '-pix_fmt', 'rgb24', 'pipe:1']);
  return [...raw.subarray(0, 3)].map((one) => Math.round(one / 64)).join(',');
}

describe.skipIf(!hasFfmpeg() && process.env.CI !== 'true')('a frame of a film', () => {
  const twoColours = () => {
    const colours = [
      '-f',
      'lavfi',
      '-i',
      'color=red:s=320x240:d=1:r=10',
      '-f',
      'lavfi',
      '-i',
      'color=blue:s=320x240:d=3:r=10',
    ];
    return film('two.mp4', ...colours, '-filter_complex', '[0][1]concat=n=2:v=1', '-pix_fmt', 'yuv420p');
  };

  it('is the first or the last one, in its own size', async () => {
    const two = twoColours();
    const pixels: string[] = [];
    for (const frame of ['first', 'last'] as const) {
      const taken = await takeFrame(two, frame);
      if (!('png' in taken)) throw new Error(JSON.stringify(taken));
      expect(await probeMedia(taken.png)).toMatchObject({ mediaType: 'image/png', width: 320, height: 240 });
      pixels.push(pixelOf(taken.png));
    }
    expect(pixels).toEqual(['4,0,0', '0,0,4']);
  });

  it('of a film that is shorter than a moment is that film', async () => {
    const short = film('short.mp4', '-f', 'lavfi', '-i', 'color=red:s=320x240:d=0.1:r=10', '-pix_fmt', 'yuv420p');
    expect(await takeFrame(short, 'last')).toHaveProperty('png');
  });

  it('is not taken from what is no film, from what is too large, or by another demuxer than the type has', async () => {
    const list = join(folder, 'list.mp4');
    const two = twoColours();
    writeFileSync(list, `ffconcat version 1.0\nfile '${join(folder, 'two.mp4')}'\n`);
    expect(await takeFrame(filmAt(list), 'first')).toEqual({ problem: 'ffmpeg finds no first frame in it' });
    expect(await takeFrame({ ...two, bytes: 2 * 1024 ** 3 }, 'first')).toEqual({
      problem: 'frames are taken from films up to 1 GiB',
    });
    expect(await takeFrame({ ...two, contentType: 'image/gif' }, 'last')).toHaveProperty('problem');
  });
});

it('F45: a machine without room for a copy of the film says so as a store does', async () => {
  writeFileSync(join(folder, 'film.mp4'), 'bytes');
  vi.stubEnv('TMPDIR', join(folder, 'away'));
  const taken = takeFrame(filmAt(join(folder, 'film.mp4')), 'last').finally(() => vi.unstubAllEnvs());
  await expect(taken).rejects.toMatchObject({
    name: 'StoreError',
    message: `cannot write ${join(folder, 'away')}: the folder does not exist (ENOENT)`,
  });
});

it.skipIf(!canMount() || !hasFfmpeg())(
  'F45: a disk that has room for the film and not for its frame says nothing of the film',
  async () => {
    const two = film('two.mp4', '-f', 'lavfi', '-i', 'testsrc2=s=1280x720:d=1:r=10', '-pix_fmt', 'yuv420p');
    const disk = join(folder, 'disk');
    mkdirSync(disk);
    mountDisk(disk, `${Math.ceil(two.bytes / 1024) + 8}k`);
    vi.stubEnv('TMPDIR', disk);
    const taken = takeFrame(two, 'first').finally(() => {
      vi.unstubAllEnvs();
      execFileSync('umount', [disk]);
    });
    await expect(taken).rejects.toMatchObject({ message: `cannot write ${disk}: the disk is full (ENOSPC)` });
  },
);
