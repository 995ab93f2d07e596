/**
 * Where the service documents put what a client reads, per kind, and nothing else: what a reading says of an answer
 * must stand in these places. Written from the documents, so that it shares no code with the readings.
 */
import type { Json } from '../../src/domain/json.js';
import type { Kind } from '../../src/domain/kind.js';

export interface AsyncPlaces {
  flow: 'async';
  handle: string;
  status: string;
  ended: { succeeded: readonly Json[]; failed: readonly Json[] };
  /** Where the output URLs stand; `*` is every item of a list. */
  urls: string;
  billedSeconds?: string;
  billedTokens?: string;
  usage?: string;
}

export type Places = AsyncPlaces | { flow: 'sync'; urls: string; bytes: string } | { flow: 'whole' };

const SVC: Places = { flow: 'sync', urls: 'data.*.url', bytes: 'data.*.b64_json' };
const VENDOR_A: Places = {
  flow: 'async',
  handle: 'data.task_id',
  status: 'data.task_status',
  ended: { succeeded: ['succeed'], failed: ['failed'] },
  urls: 'data.task_result.videos.*.url',
};
const SHARED: Places = {
  flow: 'async',
  handle: 'output.task_id',
  status: 'output.task_status',
  ended: { succeeded: ['SUCCEEDED'], failed: ['FAILED', 'CANCELED'] },
  urls: 'output.video_url',
};

const PLACES: Readonly<Record<Kind, Places>> = {
  'svc/image': SVC,
  'svc/edit': SVC,
  'svc/clip': SVC,
  'svc/animation': SVC,
  'vendor-a/text2video': VENDOR_A,
  'vendor-a/image2video': VENDOR_A,
  'vendor-a/omni-video': VENDOR_A,
  'vendor-a/motion-control': VENDOR_A,
  'vendor-b/avatar': {
    flow: 'async',
    handle: 'data.video_id',
    status: 'data.status',
    ended: { succeeded: ['completed'], failed: ['failed'] },
    urls: 'data.video_url',
    billedSeconds: 'data.duration',
  },
  'vendor-c/video': SHARED,
  'vendor-g/video': SHARED,
  'vendor-d/video': {
    flow: 'async',
    handle: 'id',
    status: 'status',
    ended: { succeeded: ['succeeded'], failed: ['failed', 'cancelled', 'expired'] },
    urls: 'content.video_url',
    billedTokens: 'usage.completion_tokens',
    usage: 'usage',
  },
  'vendor-e/video': {
    flow: 'async',
    handle: 'task_id',
    status: 'task.status',
    ended: { succeeded: ['succeeded'], failed: ['failed', 'cancelled'] },
    urls: 'task.content.url',
    usage: 'task.usage',
  },
  'vendor-f/video': {
    flow: 'async',
    handle: 'name',
    status: 'done',
    ended: { succeeded: [true], failed: [true] },
    urls: 'response.generateVideoResponse.generatedSamples.*.video.uri',
  },
  'vendor-f/interaction': { flow: 'whole' },
};

export function placesOf(kind: Kind): Places {
  const places = PLACES[kind];
  if (places === undefined) throw new Error(`where the answers of ${kind} have what is read is not written down`);
  return places;
}

/** The JSON value of the bytes; undefined when they are not UTF-8 or not JSON. */
export function parsed(bytes: Uint8Array): Json | undefined {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as Json;
  } catch {
    return undefined;
  }
}

/** Every value at a place such as `data.*.url`; none where there is nothing of its own. */
export function valuesAt(value: Json | undefined, place: string): Json[] {
  let found: Json[] = value === undefined ? [] : [value];
  for (const part of place.split('.')) {
    found = found.flatMap((node) => {
      if (typeof node !== 'object' || node === null) return [];
      if (part === '*') return Array.isArray(node) ? node : [];
      const inner = Object.hasOwn(node, part) ? (node as Record<string, Json>)[part] : undefined;
      return inner === undefined ? [] : [inner];
    });
  }
  return found;
}
