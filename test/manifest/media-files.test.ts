import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createPathFinder } from '../../src/manifest/media/local-media.js';
import type { MediaBlob } from '../../src/manifest/media/media-reader.js';
import { FILE_CASES } from './constraints/media.js';
import { clip, gif, jpeg, png } from './media-samples.js';
import { type Cells, type Checked, checkFile, checkText, csv } from './support.js';
import { temporaryFolder } from './temp-folder.js';

const root = temporaryFolder();
const folder = join(root, 'batch');
mkdirSync(folder);

const bases: Record<string, Cells> = {
  'svc/edit': { model: 'svc-beta-image-edit-2511', prompt: 'p', width: '64', height: '64' },
  'svc/animation': { model: 'svc-epsilon-2.5-video', prompt: 'p' },
  'vendor-a/image2video': {},
  'vendor-a/motion-control': { character_orientation: 'image', input_video_seconds: '5' },
  'vendor-b/avatar': {},
  'vendor-c/video': { model: 'vendor-c-3.0-video', prompt: 'p' },
  'vendor-g/video': { prompt: 'p' },
  'vendor-d/video': { prompt: 'p' },
  'vendor-e/video': { prompt: 'p', duration: '4' },
  'vendor-f/video': { model: 'vendor-f-3.1-generate-preview', prompt: 'p' },
};

async function checkCells(kind: string, cells: Cells, options: Parameters<typeof checkFile>[1] = {}): Promise<Checked> {
  const path = join(folder, 'batch.csv');
  writeFileSync(path, csv({ id: 'a', kind, ...bases[kind], ...cells }));
  return checkFile(path, { hasUploadStore: true, ...options });
}

function file(name: string, bytes: Buffer): string {
  writeFileSync(join(folder, name), bytes);
  return name;
}

describe('B40, B45: the real bytes of local files against the limits (service documents 1 and 2, Limits)', () => {
  it.each(FILE_CASES)('$rule', async ({ kind, column, more, bytes, problem }) => {
    const name = file('sample.bin', await bytes());
    const { printed, passed } = await checkCells(kind, { ...more, [column]: name });
    if (problem === undefined) expect([printed, passed.length]).toEqual([[], 1]);
    else expect(printed).toEqual([expect.stringMatching(problem)]);
  });

  it('B45: reference videos have at most 15 s together', async () => {
    const [a, b] = [file('a.mp4', await clip(7.5)), file('b.mp4', await clip(8))];
    expect((await checkCells('vendor-e/video', { reference_videos: `${a}|${a}` })).printed).toEqual([]);
    expect((await checkCells('vendor-e/video', { reference_videos: `${a}|${b}` })).printed).toEqual([
      expect.stringMatching(/B45 reference_videos have 15.5 s together, limit 15 s/),
    ]);
    // As binary fractions these are a little more than 15 together.
    const tenths = await Promise.all([2.2, 5.9, 6.9].map(async (s) => file(`${s}.mp4`, await clip(s))));
    expect((await checkCells('vendor-e/video', { reference_videos: tenths.join('|') })).printed).toEqual([]);
  });

  it('B28: the driver clip has a cap per orientation; a length declared too short or too long is warned of', async () => {
    const [five, eleven] = [file('five.mp4', await clip(5)), file('eleven.mp4', await clip(11))];
    const [still, moving] = [file('still.png', png(10, 10)), file('moving.mp4', await clip(31))];
    const kind = 'vendor-a/motion-control';
    const exact = await checkCells(kind, { image: still, video: five });
    expect([exact.printed, exact.warnings]).toEqual([[], []]);
    // The length goes with the row: prices and the longest render depend on it.
    expect(exact.passed[0]?.media.video).toEqual([expect.objectContaining({ seconds: expect.closeTo(5, 1) })]);
    const short = await checkCells(kind, { image: still, video: five, input_video_seconds: '4' });
    expect(short.warnings.map(({ code, message }) => `${code} ${message}`)).toEqual([
      'B28 input_video_seconds is 4, the video has 5.0 s; under-declaring is charged later',
    ]);
    const over = await checkCells(kind, { image: still, video: five, input_video_seconds: '6' });
    expect(over.warnings.map(({ message }) => message)).toEqual([
      'input_video_seconds is 6, the video has 5.0 s; over-declaring is not refunded by itself',
    ]);
    const long = await checkCells(kind, { image: still, video: eleven, input_video_seconds: '10' });
    expect(long.printed).toEqual([
      expect.stringMatching(/B28 video is 11.0 s, limit 10 s with character_orientation image/),
    ]);
    const video = { character_orientation: 'video', image: five };
    expect((await checkCells(kind, { ...video, video: eleven, input_video_seconds: '10' })).printed).toEqual([]);
    expect((await checkCells(kind, { ...video, video: moving })).printed).toEqual([
      expect.stringMatching(/limit 30 s with character_orientation video/),
    ]);
  });

  it('B28: a driver may end two frames of 24 a second after its cap, no later', async () => {
    const [still, two, late] = [
      file('still.png', png(10, 10)),
      file('two.mp4', await clip(10.08)),
      file('late.mp4', await clip(10.1)),
    ];
    const printed = async (video: string) =>
      (await checkCells('vendor-a/motion-control', { image: still, video, input_video_seconds: '10' })).printed;
    expect(await printed(two)).toEqual([]);
    expect(await printed(late)).toEqual([expect.stringMatching(/B28 video is 10.1 s, limit 10 s/)]);
  });

  it('B28, 2-D6: of a driver behind a URL it is said that more than was declared is charged later', async () => {
    const kind = 'vendor-a/motion-control';
    const driver = { image: file('still.png', png(10, 10)), video: 'https://example.com/steps.mp4' };
    const warned = async (cells: Record<string, string>) =>
      (await checkCells(kind, { ...driver, ...cells })).warnings.map(({ message }) => message);
    expect(await warned({ input_video_seconds: '4' })).toEqual([
      expect.stringContaining('up to 10 s are charged later'),
    ]);
    expect(await warned({ input_video_seconds: '10' })).toEqual([]);
    const video = { character_orientation: 'video', image: 'https://example.com/moving.mp4' };
    expect(await warned({ ...video, input_video_seconds: '10' })).toEqual([
      expect.stringContaining('up to 30 s are charged later'),
    ]);
  });
});

describe('B45: paths', () => {
  const outside = join(root, 'outside.png');
  writeFileSync(outside, png(64, 64));

  it('takes files below the folder of the manifest and below input roots', async () => {
    mkdirSync(join(folder, 'in', 'ner'), { recursive: true });
    file('in/ner/a.png', png(64, 64));
    for (const image of ['in/ner/a.png', './in/ner/a.png', 'in/../in/ner/a.png', join(folder, 'in/ner/a.png')]) {
      expect((await checkCells('svc/edit', { image })).printed, image).toEqual([]);
    }
    for (const image of ['../outside.png', outside]) {
      expect((await checkCells('svc/edit', { image })).printed, image).toEqual([
        expect.stringMatching(/B45 image: '.*outside.png' is outside the manifest's folder; .*--input-root/),
      ]);
      expect((await checkCells('svc/edit', { image }, { inputRoots: [root] })).printed, image).toEqual([]);
    }
  });

  it('refuses links that lead out, takes links that stay', async () => {
    symlinkSync(outside, join(folder, 'link.png'));
    symlinkSync(root, join(folder, 'up'));
    file('real.png', png(64, 64));
    symlinkSync(join(folder, 'real.png'), join(folder, 'stays.png'));
    for (const image of ['link.png', 'up/outside.png']) {
      expect((await checkCells('svc/edit', { image })).printed).toEqual([
        expect.stringMatching(/B45 image: '.*' is a link that leads out of the manifest's folder/),
      ]);
    }
    expect((await checkCells('svc/edit', { image: 'stays.png' })).printed).toEqual([]);
  });

  it.each([
    ['missing.png', /B45 image: cannot read 'missing.png': no such file/],
    ['in', /B45 image: 'in' is not a file/],
    ['/etc/passwd', /B45 image: '\/etc\/passwd' is outside/],
    ['../../../../etc/passwd', /B45 image: (cannot read|'.*' is outside)/],
    ['C:\\pictures\\a.png', /B45 image: cannot read/],
  ])('refuses %s', async (image, problem) => {
    expect((await checkCells('svc/edit', { image })).printed).toEqual([expect.stringMatching(problem)]);
  });

  it('that are removed while they are looked at are told as those that are not there', async () => {
    const gone = join(root, 'gone.png');
    writeFileSync(gone, png(64, 64));
    const find = createPathFinder(folder, async () => {
      rmSync(gone);
      return true;
    });
    expect(await find('image', '../gone.png')).toEqual({
      ok: false,
      message: "image: cannot read '../gone.png': no such file",
    });
  });

  it('refuses a local file for a URL-only field without an upload store', async () => {
    const image = file('frame.png', png(400, 400));
    const { printed } = await checkCells('vendor-d/video', { first_frame: image }, { hasUploadStore: false });
    expect(printed).toEqual([
      expect.stringMatching(/B45 first_frame takes a public URL only, not a local file: .*no S3 store to upload to/),
    ]);
    const inline = await checkCells('vendor-a/image2video', { image }, { hasUploadStore: false });
    expect(inline.printed).toEqual([]);
  });
});

describe('B30: data: URIs', () => {
  const uri = (bytes: Buffer, type = 'image/png'): string => `data:${type};base64,${bytes.toString('base64')}`;

  it('takes one, by its bytes and not its name', async () => {
    const bytes = jpeg(64, 64);
    const { printed, passed } = await checkCells('svc/edit', { image: uri(bytes) });
    expect(printed).toEqual([]);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    expect(passed[0]?.media.image).toEqual([{ source: 'blob', sha256, mediaType: 'image/jpeg', bytes: bytes.length }]);
  });

  it.each([
    ['data:image/png;base64,', /B30 image is not valid base64/],
    ['data:image/png;base64,ab*d', /B30 image is not valid base64/],
    ['data:image/png;base64,abcde', /B30 image is not valid base64/],
    ['data:image/png;base64,iVBORw0KGgo', /B40 image needs an image|B45/],
    ['data:image/png;base64', /B30 image is a data: URI that ends before its comma; quote the cell/],
    ['data:image/png,hello', /B30 image is a data: URI without base64 content/],
    ['data:', /B30/],
    [uri(png(10, 10)), /B45 image is 10x10, each side at least 64 px/],
    [uri(gif(64, 64)), /B45 .*GIF/],
  ])('checks %.40s', async (image, problem) => {
    expect((await checkCells('svc/edit', { image })).printed).toEqual([expect.stringMatching(problem)]);
  });
});

describe('blobs', () => {
  it('are offered once per content, before their row, with exactly the checked bytes', async () => {
    const bytes = png(64, 64);
    file('one.png', bytes);
    file('two.png', bytes);
    const other = jpeg(100, 100);
    const rows = ['one.png', 'two.png', 'one.png', `data:image/jpeg;base64,${other.toString('base64')}`].map(
      (image, at) => ({ id: `r${at}`, kind: 'svc/edit', ...bases['svc/edit'], image }),
    );
    const path = join(folder, 'blobs.csv');
    writeFileSync(path, csv(...rows));
    const kept: (Omit<MediaBlob, 'read'> & { content: Uint8Array })[] = [];
    const { passed } = await checkFile(path, {
      async keepBlob({ read, ...blob }) {
        kept.push({ ...blob, content: await read() });
      },
    });
    expect(kept.map(({ mediaType }) => mediaType)).toEqual(['image/png', 'image/jpeg']);
    expect(Buffer.from(kept[0]?.content ?? [])).toEqual(bytes);
    for (const { sha256, content, bytes: size } of kept) {
      expect(createHash('sha256').update(content).digest('hex')).toBe(sha256);
      expect(content.length).toBe(size);
    }
    expect(new Set(passed.map((row) => row.hash)).size).toBe(2);
  });

  it('makes another hash when the content of the file changes', async () => {
    file('changing.png', png(64, 64));
    const before = await checkCells('svc/edit', { image: 'changing.png' });
    file('changing.png', png(65, 64));
    utimesSync(join(folder, 'changing.png'), 1, 1);
    const after = await checkCells('svc/edit', { image: 'changing.png' });
    expect(after.passed[0]?.hash).not.toBe(before.passed[0]?.hash);
  });

  it('are not offered for rows from standard input that are refused', async () => {
    const kept: string[] = [];
    const image = `data:image/png;base64,${png(10, 10).toString('base64')}`;
    await checkText(csv({ id: 'a', kind: 'svc/edit', ...bases['svc/edit'], image }), {
      keepBlob: (blob) => Promise.resolve(void kept.push(blob.sha256)),
    });
    expect(kept).toEqual([]);
  });
});
