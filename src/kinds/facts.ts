/** The one map from a kind of row to what is constant of it. */
import type { Kind } from '../domain/kind.js';
import type { KindFacts } from './fact.js';
import { animationFacts, clipFacts, editFacts, imageFacts } from './svc/facts.js';
import { image2VideoFacts, motionControlFacts, omniVideoFacts, text2VideoFacts } from './vendor-a/facts.js';
import { avatarFacts } from './vendor-b/facts.js';
import { sharedRouteFacts } from './vendor-c-and-g/facts.js';
import { vendorDFacts } from './vendor-d/facts.js';
import { vendorEFacts } from './vendor-e/facts.js';
import { filmFacts, interactionFacts } from './vendor-f/facts.js';

const FACTS: Readonly<Record<Kind, KindFacts>> = {
  'svc/image': imageFacts,
  'svc/edit': editFacts,
  'svc/clip': clipFacts,
  'svc/animation': animationFacts,
  'vendor-a/text2video': text2VideoFacts,
  'vendor-a/image2video': image2VideoFacts,
  'vendor-a/omni-video': omniVideoFacts,
  'vendor-a/motion-control': motionControlFacts,
  'vendor-b/avatar': avatarFacts,
  'vendor-c/video': sharedRouteFacts,
  'vendor-g/video': sharedRouteFacts,
  'vendor-d/video': vendorDFacts,
  'vendor-e/video': vendorEFacts,
  'vendor-f/video': filmFacts,
  'vendor-f/interaction': interactionFacts,
};

export function factsOf(kind: Kind): KindFacts {
  return FACTS[kind];
}
