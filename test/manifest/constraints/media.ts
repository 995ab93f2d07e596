import { bmp, clip, filledJpeg, gif, heic, jpeg, mp2, mp3, packedWav, png, wav, webp } from '../media-samples.js';
import type { Cells } from '../support.js';

/** A file whose bytes are just inside or just outside what the documents allow (service documents 1 and 2, Limits). */
export interface FileCase {
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

export const FILE_CASES: readonly FileCase[] = [
  { rule: 'svc/edit: PNG', ...edit, bytes: () => png(64, 64) },
  { rule: 'svc/edit: JPEG', ...edit, bytes: () => jpeg(64, 64) },
  { rule: 'svc/edit: JPEG with fill bytes', ...edit, bytes: () => filledJpeg(64, 64) },
  {
    rule: 'svc/edit: JPEG with fill bytes, side 63',
    ...edit,
    bytes: () => filledJpeg(63, 64),
    problem: /B45 image is 63x64, each side at least 64 px/,
  },
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
  { rule: 'vendor-c references: over 8:1', ...vc, bytes: () => jpeg(1929, 241), problem: /no wider than 8:1/ },
  { rule: 'vendor-c references: 1:9', ...vc, bytes: () => jpeg(241, 2169) },
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
  { rule: 'vendor-e audio: WAV with packed samples of 15 s', ...veAudio, bytes: () => packedWav(15) },
  {
    rule: 'vendor-e audio: WAV with packed samples of 1.5 s',
    ...veAudio,
    bytes: () => packedWav(1.5),
    problem: /is 1.5 s, must be 2-15 s/,
  },
  { rule: 'vendor-e audio: MP3 of 15 s', ...veAudio, bytes: () => mp3(15) },
  { rule: 'vendor-e audio: 1.5 s', ...veAudio, bytes: () => wav(1.5), problem: /is 1.5 s, must be 2-15 s/ },
  { rule: 'vendor-e audio: 15.5 s', ...veAudio, bytes: () => mp3(15.504), problem: /is 15.5 s, must be 2-15 s/ },
  { rule: 'vendor-e audio: over 15 MB', ...veAudio, bytes: () => wav(3, 15_200_000), problem: /15.2 MB, limit 15 MB/ },
  { rule: 'vendor-b audio: WAV', ...voice, bytes: () => wav(1) },
  { rule: '2-D7: vendor-b audio of ten minutes, 115 MB', ...voice, bytes: () => wav(600, 115_200_000) },
  { rule: 'vendor-b audio: MP3', ...voice, bytes: () => mp3(60) },
  { rule: 'vendor-b audio: MP3 behind a tag with a footer', ...voice, bytes: () => mp3(2, { footer: true }) },
  { rule: 'vendor-b audio: MP3 behind a tag and zeros', ...voice, bytes: () => mp3(2, { zeros: 700 }) },
  {
    rule: 'vendor-b audio: second layer behind a tag and zeros',
    ...voice,
    bytes: () => mp2(2, { zeros: 700 }),
    problem: /B4[05] audio.*needs/,
  },
  {
    rule: 'vendor-b audio: MP2',
    ...voice,
    bytes: () => mp2(60),
    problem: /B45 audio: the file is MP2, needs WAV or MP3/,
  },
  { rule: 'vendor-b audio: MP4', ...voice, bytes: () => clip(2), problem: /B40 audio needs an audio, the file is MP4/ },
  { rule: 'vendor-f image: JPEG', kind: 'vendor-f/video', column: 'image', bytes: () => jpeg(10, 10) },
  { rule: 'vendor-f image: MP3', kind: 'vendor-f/video', column: 'image', bytes: () => mp3(1), problem: /B40/ },
];
