/** The media that jobs have made: built from their parameters whenever they are asked for, under signed, expiring URLs. */
import { createHash, createHmac } from 'node:crypto';
import type { AppliedFaults } from '../faults/fault-engine.js';
import type { Clock } from '../model/clock.js';
import { ALPHABET_LOWER, createRandom } from '../model/random.js';
import { FRAME_RATE, makeMp4, tagMp4 } from './media-mp4.js';
import { makePng } from './media-png.js';

/** What an output is made of; equal specs give equal bytes. */
export type OutputSpec =
  | { type: 'png'; width: number; height: number; look: string; tag: string }
  | { type: 'mp4'; width: number; height: number; frames: number; audio: boolean; tag: string };

/** One finished file. */
export interface Output {
  id: string;
  /** The job or synchronous call it belongs to. */
  jobId: string;
  spec: OutputSpec;
  contentType: 'image/png' | 'video/mp4';
  bytes: number;
  sha256: string;
  /** Unix milliseconds after which the file is deleted or its URL is refused. */
  expiresMs: number;
  /** Until when, and with which status, a fault keeps the file back. */
  late?: { status: 403 | 404; untilMs: number };
}

export interface Outputs {
  /** Makes and registers a file that lives until `expiresMs`. */
  create(jobId: string, spec: OutputSpec, expiresMs: number): Promise<Output>;
  get(id: string): Output | undefined;
  read(output: Output): Promise<Buffer>;
  /** A URL that works until `expiresMs`. */
  url(output: Output, expiresMs: number): string;
  /** Whether the parameters of a URL are its own and still in time. */
  isValid(output: Output, parameters: URLSearchParams): boolean;
}

/** Frames of a clip of so many seconds, at 24 per second, at least one. */
export function framesOf(seconds: number): number {
  return Math.max(1, Math.round(seconds * FRAME_RATE));
}

/** Fixes until when a file lives, and what a fault does to it, once its job has ended. */
export function openOutput(
  clock: Clock,
  output: Output,
  atMs: number,
  lifeSeconds: number,
  faults: AppliedFaults,
): void {
  const isExpired = faults.get('expire-output') !== undefined;
  output.expiresMs = isExpired ? atMs : atMs + clock.serviceMs(lifeSeconds);
  const late = faults.get('output-late');
  if (late === undefined) return;
  output.late = { status: late.status ?? 404, untilMs: atMs + clock.serviceMs(late.serviceSeconds) };
}

/** `make` builds the bytes of a file; equal specs give equal bytes. */
export function createOutputs(clock: Clock, seed: number, baseUrl: () => string, make = build): Outputs {
  const byId = new Map<string, Output>();
  const secret = `media ${seed}`;
  const sign = (id: string, expires: string): string =>
    createHmac('sha256', secret).update(`${id} ${expires}`).digest('base64url').slice(0, 27);
  return {
    async create(jobId, spec, expiresMs) {
      const file = await make(spec);
      const output: Output = {
        id: createRandom(seed, `output ${jobId}`).text(24, ALPHABET_LOWER),
        jobId,
        spec,
        contentType: spec.type === 'png' ? 'image/png' : 'video/mp4',
        bytes: file.length,
        sha256: createHash('sha256').update(file).digest('hex'),
        expiresMs,
      };
      byId.set(output.id, output);
      return output;
    },
    get: (id) => byId.get(id),
    read: (output) => make(output.spec),
    url(output, expiresMs) {
      const expires = String(Math.floor(expiresMs));
      return `${baseUrl()}/media/${output.id}.${output.spec.type}?expires=${expires}&signature=${sign(output.id, expires)}`;
    },
    isValid(output, parameters) {
      const expires = parameters.get('expires') ?? '';
      return parameters.get('signature') === sign(output.id, expires) && clock.nowMs() < Number(expires);
    },
  };
}

async function build(spec: OutputSpec): Promise<Buffer> {
  if (spec.type === 'png') return makePng(spec);
  return tagMp4(await makeMp4(spec), spec.tag);
}
