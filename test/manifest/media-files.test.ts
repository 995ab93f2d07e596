import { createHash } from 'node:crypto';
import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { MediaBlob } from '../../src/manifest/media/media-reader.js';
import { bmp, clip, gif, heic, jpeg, mp3, png, wav, webp } from './media-samples.js';
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

interface FileCase {
  rule: string;
  kind: string;
  column: string;
  more?: Cells;
  bytes: () => Buffer | Promise<Buffer>;
  /** Absent when the file is good. */
  problem?: RegExp;
}

const edit = { kind: 'svc/edit', column: 'image' };
const vc = { kind: 'vendor-c/video', column: 'reference_images' };
const vgFrame = { kind: 'vendor-g/video', column: 'first_frame', more: { model: 'vendor-g-1.1-i2v' } };
const vgReference = { kind: 'vendor-g/video', column: 'reference_images', more: { model: 'vendor-g-1.1-r2v' } };
const vd = { kind: 'vendor-d/video', column: 'first_frame' };
const ve = { kind: 'vendor-e/video', column: 'first_frame' };
const veVideo = { kind: 'vendor-e/video', column: 'reference_videos' };
const veAudio = { kind: 'vendor-e/video', column: 'reference_audio' };
const voice = { kind: 'vendor-b/avatar', column: 'audio', more: { avatar_id: 'anna' } };
const animation = { kind: 'svc/animation', column: 'image' };

const cases: FileCase[] = [
  { rule: 'svc/edit: PNG', ...edit, bytes: () => png(64, 64) },
  { rule: 'svc/edit: JPEG', ...edit, bytes: () => jpeg(64, 64) },
  { rule: 'svc/edit: WEBP', ...edit, bytes: () => webp(64, 64) },
  {
    rule: 'svc/edit: GIF',
    ...edit,
    bytes: () => gif(64, 64),
    problem: /B45 image: the file is GIF, needs PNG, JPEG or WEBP/,
  },
  { rule: 'svc/edit: BMP', ...edit, bytes: () => bmp(64, 64), problem: /B45 .*BMP, needs PNG/ },
  { rule: 'svc/edit: text', ...edit, bytes: () => Buffer.from('hello'), problem: /B40 image needs an image/ },
  { rule: 'svc/edit: empty', ...edit, bytes: () => Buffer.alloc(0), problem: /B45 image is empty/ },
  {
    rule: 'svc/edit: side 63',
    ...edit,
    bytes: () => png(63, 64),
    problem: /B45 image is 63x64, each side at least 64 px/,
  },
  { rule: 'svc/edit: 8:1', ...edit, bytes: () => png(512, 64) },
  { rule: 'svc/edit: over 8:1', ...edit, bytes: () => png(513, 64), problem: /aspect ratio at most 8:1 either way/ },
  { rule: 'svc/edit: over 1:8', ...edit, bytes: () => png(64, 513), problem: /aspect ratio at most 8:1 either way/ },
  { rule: 'svc/edit: 10 MB', ...edit, bytes: () => png(64, 64, { paddedTo: 10_000_000 }) },
  {
    rule: 'svc/edit: over 10 MB',
    ...edit,
    bytes: () => png(64, 64, { paddedTo: 10_300_000 }),
    problem: /image is 10.3 MB, limit 10 MB/,
  },
  {
    rule: 'svc/edit: damaged',
    ...edit,
    bytes: () => png(64, 64).subarray(0, 20),
    problem: /B4[05] image.*(damaged|needs)/,
  },
  { rule: 'svc/animation: JPEG', ...animation, bytes: () => jpeg(10, 10) },
  { rule: 'svc/animation: WEBP', ...animation, bytes: () => webp(10, 10), problem: /needs PNG or JPEG/ },
  { rule: 'vendor-c references: BMP', ...vc, bytes: () => bmp(240, 240) },
  { rule: 'vendor-c references: WEBP', ...vc, bytes: () => webp(8000, 1000) },
  {
    rule: 'vendor-c references: side 239',
    ...vc,
    bytes: () => jpeg(239, 240),
    problem: /239x240, each side at least 240 px/,
  },
  {
    rule: 'vendor-c references: side 8001',
    ...vc,
    bytes: () => jpeg(8001, 2000),
    problem: /8001x2000, each side at most 8000 px/,
  },
  { rule: 'vendor-c references: over 8:1', ...vc, bytes: () => jpeg(1929, 241), problem: /at most 8:1/ },
  {
    rule: 'vendor-c references: HEIC',
    ...vc,
    bytes: () => heic(300, 300),
    problem: /HEIC, needs JPEG, PNG, BMP or WEBP/,
  },
  {
    rule: 'vendor-c references: alpha',
    ...vc,
    bytes: () => png(300, 300, { alpha: true }),
    problem: /transparent channel/,
  },
  {
    rule: 'vendor-c references: tRNS',
    ...vc,
    bytes: () => png(300, 300, { keyed: true }),
    problem: /transparent channel/,
  },
  { rule: 'vendor-c references: WEBP alpha', ...vc, bytes: () => webp(300, 300, true), problem: /transparent channel/ },
  { rule: 'vendor-c references: 20 MB', ...vc, bytes: () => jpeg(300, 300, 20_000_000) },
  {
    rule: 'vendor-c references: over 20 MB',
    ...vc,
    bytes: () => jpeg(300, 300, 20_100_000),
    problem: /20.1 MB, limit 20 MB/,
  },
  { rule: 'vendor-g frame: 300 px, 2.5:1', ...vgFrame, bytes: () => png(750, 300) },
  { rule: 'vendor-g frame: 299 px', ...vgFrame, bytes: () => png(299, 400), problem: /each side at least 300 px/ },
  { rule: 'vendor-g frame: over 2.5:1', ...vgFrame, bytes: () => png(751, 300), problem: /at most 2.5:1/ },
  { rule: 'vendor-g frame: over 1:2.5', ...vgFrame, bytes: () => png(300, 751), problem: /at most 2.5:1/ },
  { rule: 'vendor-g frame: BMP', ...vgFrame, bytes: () => bmp(300, 300), problem: /BMP, needs JPEG, PNG or WEBP/ },
  { rule: 'vendor-g frame: over 20 MB', ...vgFrame, bytes: () => jpeg(300, 300, 20_100_000), problem: /limit 20 MB/ },
  { rule: 'vendor-g references: 400 px', ...vgReference, bytes: () => png(400, 4000) },
  {
    rule: 'vendor-g references: 399 px',
    ...vgReference,
    bytes: () => png(4000, 399),
    problem: /the short side at least 400 px/,
  },
  { rule: 'vendor-d frame: 300 px', ...vd, bytes: () => png(300, 750) },
  { rule: 'vendor-d frame: 299 px', ...vd, bytes: () => png(299, 300), problem: /each side at least 300 px/ },
  { rule: 'vendor-d frame: 6000 px', ...vd, bytes: () => png(6000, 2400) },
  { rule: 'vendor-d frame: 6001 px', ...vd, bytes: () => png(6001, 3000), problem: /each side at most 6000 px/ },
  { rule: 'vendor-d frame: over 2.5', ...vd, bytes: () => png(2501, 1000), problem: /at most 2.5:1/ },
  { rule: 'vendor-d frame: under 0.4', ...vd, bytes: () => png(1000, 2501), problem: /at most 2.5:1/ },
  { rule: 'vendor-d frame: just under 30 MB', ...vd, bytes: () => png(300, 300, { paddedTo: 29_999_999 }) },
  {
    rule: 'vendor-d frame: 30 MB',
    ...vd,
    bytes: () => png(300, 300, { paddedTo: 30_000_000 }),
    problem: /30 MB, must be under 30 MB/,
  },
  { rule: 'vendor-e image: HEIC 256 px', ...ve, bytes: () => heic(256, 5760) },
  { rule: 'vendor-e image: 255 px', ...ve, bytes: () => png(255, 256), problem: /each side at least 256 px/ },
  { rule: 'vendor-e image: 5761 px', ...ve, bytes: () => png(256, 5761), problem: /each side at most 5760 px/ },
  {
    rule: 'vendor-e image: over 30 MB',
    ...ve,
    bytes: () => png(300, 300, { paddedTo: 31_200_000 }),
    problem: /first_frame is 31.2 MB, limit 30 MB/,
  },
  { rule: 'vendor-e video: MP4 of 2 s', ...veVideo, bytes: () => clip(2) },
  { rule: 'vendor-e video: MOV of 15 s', ...veVideo, bytes: () => clip(15, { mov: true }) },
  {
    rule: 'vendor-e video: 1.9 s',
    ...veVideo,
    bytes: () => clip(1.9),
    problem: /B45 reference_videos is 1.9 s, must be 2-15 s/,
  },
  { rule: 'vendor-e video: 15.1 s', ...veVideo, bytes: () => clip(15.1), problem: /is 15.1 s, must be 2-15 s/ },
  {
    rule: 'vendor-e video: over 50 MB',
    ...veVideo,
    bytes: () => clip(3, { paddedTo: 50_100_000 }),
    problem: /50.1 MB, limit 50 MB/,
  },
  {
    rule: 'vendor-e video: an image',
    ...veVideo,
    bytes: () => png(300, 300),
    problem: /B40 reference_videos needs a video/,
  },
  { rule: 'vendor-e audio: WAV of 2 s', ...veAudio, bytes: () => wav(2) },
  { rule: 'vendor-e audio: MP3 of 15 s', ...veAudio, bytes: () => mp3(15) },
  { rule: 'vendor-e audio: 1.5 s', ...veAudio, bytes: () => wav(1.5), problem: /is 1.5 s, must be 2-15 s/ },
  { rule: 'vendor-e audio: 15.5 s', ...veAudio, bytes: () => mp3(15.504), problem: /is 15.5 s, must be 2-15 s/ },
  { rule: 'vendor-e audio: over 15 MB', ...veAudio, bytes: () => wav(3, 15_200_000), problem: /15.2 MB, limit 15 MB/ },
  { rule: 'vendor-b audio: WAV', ...voice, bytes: () => wav(1) },
  { rule: 'vendor-b audio: MP3', ...voice, bytes: () => mp3(60) },
  { rule: 'vendor-b audio: MP4', ...voice, bytes: () => clip(2), problem: /B40 audio needs an audio, the file is MP4/ },
  { rule: 'vendor-f image: JPEG', kind: 'vendor-f/video', column: 'image', bytes: () => jpeg(10, 10) },
  { rule: 'vendor-f image: MP3', kind: 'vendor-f/video', column: 'image', bytes: () => mp3(1), problem: /B40/ },
];

describe('B40, B45: the real bytes of local files against the limits (service documents 1 and 2, Limits)', () => {
  it.each(cases)('$rule', async ({ kind, column, more, bytes, problem }) => {
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
  });

  it('B28: the driver clip has a cap per orientation; a length declared too short or too long is warned of', async () => {
    const [five, eleven] = [file('five.mp4', await clip(5)), file('eleven.mp4', await clip(11))];
    const [still, moving] = [file('still.png', png(10, 10)), file('moving.mp4', await clip(31))];
    const kind = 'vendor-a/motion-control';
    const exact = await checkCells(kind, { image: still, video: five });
    expect([exact.printed, exact.warnings]).toEqual([[], []]);
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
    expect(after.contentHash).not.toBe(before.contentHash);
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
