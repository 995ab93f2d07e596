/** Playable H.264 clips of any length, exact to a frame, built by repeating the packets of the shipped one-second clips. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  ALL_FORMATS,
  BufferSource,
  BufferTarget,
  EncodedAudioPacketSource,
  EncodedPacket,
  EncodedPacketSink,
  EncodedVideoPacketSource,
  Input,
  type InputAudioTrack,
  type InputVideoTrack,
  Mp4OutputFormat,
  Output,
} from 'mediabunny';

export const FRAME_RATE = 24;
const FIXTURES = new URL('./fixtures/', import.meta.url);
const CLIP_CACHE_MAX = 200;

export interface Size {
  width: number;
  height: number;
}

interface Mp4Options extends Size {
  /** Whole frames at 24 per second. */
  frames: number;
  /** Adds an AAC track of the same length. */
  audio: boolean;
}

/** The sizes that can be rendered, one shipped clip each, by tier. */
const SIZES = [
  '480x480 480x832 480x640 640x480 832x480',
  '720x900 720x1280 720x960 720x720 900x720 960x720 1280x720',
  '768x1024 768x1366 768x768 1024x768 1366x768 1792x768',
  '1080x1350 1080x1080 1080x1920 1080x1440 1350x1080 1440x1080 1920x1080',
  '1440x1440 1440x2560 1440x1920 1920x1440 2560x1440 3360x1440',
  '2160x3840 2160x2700 2160x2160 2700x2160 3840x2160',
];

export const CLIP_SIZES: readonly Size[] = SIZES.flatMap((tier) => tier.split(' ')).map((size) => {
  const [width = 0, height = 0] = size.split('x').map(Number);
  return { width, height };
});

/** The renderable size of the tier (its short side, in pixels) whose shape is nearest to width over height `ratio`. */
export function nearestSize(shortSide: number, ratio: number): Size {
  const ofTier = CLIP_SIZES.filter((size) => Math.min(size.width, size.height) === shortSide);
  const distance = (size: Size): number => Math.abs(Math.log(size.width / size.height / ratio));
  const best = ofTier.sort((a, b) => distance(a) - distance(b))[0];
  if (best === undefined) throw new Error(`no clip has a short side of ${shortSide} pixels`);
  return best;
}

const clips = new Map<string, Promise<Buffer>>();

/** An MP4 file; equal options give equal bytes. The size must be one of CLIP_SIZES. */
export function makeMp4(options: Mp4Options): Promise<Buffer> {
  const key = `${options.width}x${options.height} ${options.frames} ${options.audio}`;
  const known = clips.get(key);
  if (known !== undefined) return known;
  const made = mux(options);
  clips.set(key, made);
  const oldest = clips.keys().next().value;
  if (clips.size > CLIP_CACHE_MAX && oldest !== undefined) clips.delete(oldest);
  return made;
}

/** Adds a `free` box with the tag at the end of an MP4: players skip it, and no two files of different tags are equal. */
export function tagMp4(file: Buffer, tag: string): Buffer {
  const text = Buffer.from(tag, 'utf8');
  const box = Buffer.alloc(8);
  box.writeUInt32BE(8 + text.length, 0);
  box.write('free', 4, 'latin1');
  return Buffer.concat([file, box, text]);
}

interface Packets<Track> {
  track: Track;
  packets: EncodedPacket[];
}

async function readPackets<Track extends InputVideoTrack | InputAudioTrack>(
  track: Track | null,
): Promise<Packets<Track>> {
  if (track === null) throw new Error('a shipped clip lacks its track');
  const packets: EncodedPacket[] = [];
  for await (const packet of new EncodedPacketSink(track).packets()) packets.push(packet);
  return { track, packets };
}

function open(name: string): Input {
  return new Input({
    formats: ALL_FORMATS,
    source: new BufferSource(readFileSync(fileURLToPath(new URL(name, FIXTURES)))),
  });
}

async function mux(options: Mp4Options): Promise<Buffer> {
  const target = new BufferTarget();
  const output = new Output({ format: new Mp4OutputFormat({ fastStart: 'in-memory' }), target });
  const video = await readPackets(await open(`clip-${options.width}x${options.height}.mp4`).getPrimaryVideoTrack());
  const tone = options.audio ? await readPackets(await open('tone.m4a').getPrimaryAudioTrack()) : undefined;
  const videoSource = new EncodedVideoPacketSource('avc');
  const audioSource = new EncodedAudioPacketSource('aac');
  output.addVideoTrack(videoSource, { frameRate: FRAME_RATE });
  if (tone !== undefined) output.addAudioTrack(audioSource);
  await output.start();

  const decoderConfig = await video.track.getDecoderConfig();
  const videoMeta = decoderConfig === null ? {} : { decoderConfig };
  for (let frame = 0; frame < options.frames; frame += 1) {
    const packet = video.packets[frame % video.packets.length];
    if (packet === undefined) break;
    await videoSource.add(new EncodedPacket(packet.data, packet.type, frame / FRAME_RATE, 1 / FRAME_RATE), videoMeta);
  }
  if (tone !== undefined) await addTone(audioSource, tone, options.frames / FRAME_RATE);
  await output.finalize();
  if (target.buffer === null) throw new Error('muxing gave no file');
  const file = Buffer.from(target.buffer);
  clearTimes(file, 0, file.length);
  return file;
}

async function addTone(
  source: EncodedAudioPacketSource,
  tone: Packets<InputAudioTrack>,
  seconds: number,
): Promise<void> {
  const decoderConfig = await tone.track.getDecoderConfig();
  const meta = decoderConfig === null ? {} : { decoderConfig };
  const packetSeconds = 1024 / 48_000;
  // The sound ends with or just before the picture, so the length of the file stays that of the picture.
  for (let index = 0; (index + 1) * packetSeconds <= seconds; index += 1) {
    const packet = tone.packets[index % tone.packets.length];
    if (packet === undefined) break;
    await source.add(new EncodedPacket(packet.data, 'key', index * packetSeconds, packetSeconds), meta);
  }
}

/** Sets creation and modification times to zero, so that the same clip has the same bytes whenever it is made. */
function clearTimes(file: Buffer, start: number, end: number): void {
  for (let at = start; at + 8 <= end; ) {
    const size = file.readUInt32BE(at);
    const type = file.toString('latin1', at + 4, at + 8);
    if (size < 8) return;
    if (type === 'moov' || type === 'trak' || type === 'mdia') clearTimes(file, at + 8, at + size);
    if (type === 'mvhd' || type === 'tkhd' || type === 'mdhd') {
      const timesBytes = file[at + 8] === 1 ? 16 : 8;
      file.fill(0, at + 12, at + 12 + timesBytes);
    }
    at += size;
  }
}
