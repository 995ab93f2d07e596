/** The one map from a kind of row to the adapter that speaks for it. */
import type { Kind } from '../domain/kind.js';
import type { Adapter } from './adapter.js';
import { createAnimationAdapter, createClipAdapter, createEditAdapter, createImageAdapter } from './svc/wire.js';
import {
  createImage2VideoAdapter,
  createMotionControlAdapter,
  createOmniVideoAdapter,
  createText2VideoAdapter,
} from './vendor-a/wire.js';
import { createAvatarAdapter } from './vendor-b/wire.js';
import { createVendorCAdapter, createVendorGAdapter } from './vendor-c-and-g/wire.js';
import { createVendorDAdapter } from './vendor-d/wire.js';
import { createVendorEAdapter } from './vendor-e/wire.js';
import { createInteractionAdapter, createOperationAdapter } from './vendor-f/wire.js';

export const ADAPTERS: Readonly<Record<Kind, Adapter>> = {
  'svc/image': createImageAdapter(),
  'svc/edit': createEditAdapter(),
  'svc/clip': createClipAdapter(),
  'svc/animation': createAnimationAdapter(),
  'vendor-a/text2video': createText2VideoAdapter(),
  'vendor-a/image2video': createImage2VideoAdapter(),
  'vendor-a/omni-video': createOmniVideoAdapter(),
  'vendor-a/motion-control': createMotionControlAdapter(),
  'vendor-b/avatar': createAvatarAdapter(),
  'vendor-c/video': createVendorCAdapter(),
  'vendor-g/video': createVendorGAdapter(),
  'vendor-d/video': createVendorDAdapter(),
  'vendor-e/video': createVendorEAdapter(),
  'vendor-f/video': createOperationAdapter(),
  'vendor-f/interaction': createInteractionAdapter(),
};

export function adapterFor(kind: Kind): Adapter {
  return ADAPTERS[kind];
}
export { readPolled } from './readings.js';
