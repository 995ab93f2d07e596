import type { Kind } from '../domain/kind.js';
import type { KindRules } from './rule.js';
import { svcAnimation, svcClip } from './svc/clip-columns.js';
import { svcEdit } from './svc/edit-columns.js';
import { svcImage } from './svc/image-columns.js';
import { vendorAImage2Video, vendorAText2Video } from './vendor-a/columns.js';
import { vendorAMotionControl } from './vendor-a/motion-columns.js';
import { vendorAOmniVideo } from './vendor-a/omni-columns.js';
import { vendorBAvatar } from './vendor-b/columns.js';
import { vendorCVideo } from './vendor-c-and-g/c-columns.js';
import { vendorGVideo } from './vendor-c-and-g/g-columns.js';
import { vendorDVideo } from './vendor-d/columns.js';
import { vendorEVideo } from './vendor-e/columns.js';
import { vendorFInteraction, vendorFVideo } from './vendor-f/columns.js';

/** Every kind and its rules. */
export const KIND_RULES: Readonly<Record<Kind, KindRules>> = {
  'svc/image': svcImage,
  'svc/edit': svcEdit,
  'svc/clip': svcClip,
  'svc/animation': svcAnimation,
  'vendor-a/text2video': vendorAText2Video,
  'vendor-a/image2video': vendorAImage2Video,
  'vendor-a/omni-video': vendorAOmniVideo,
  'vendor-a/motion-control': vendorAMotionControl,
  'vendor-b/avatar': vendorBAvatar,
  'vendor-c/video': vendorCVideo,
  'vendor-g/video': vendorGVideo,
  'vendor-d/video': vendorDVideo,
  'vendor-e/video': vendorEVideo,
  'vendor-f/video': vendorFVideo,
  'vendor-f/interaction': vendorFInteraction,
};
