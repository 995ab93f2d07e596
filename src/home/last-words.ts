import { z } from 'zod';
import type { AttemptRef } from '../domain/attempt.js';
import { document } from './document.js';

/** What the service said of a job whose end could not be read: a prompt or a URL may stand in it, so no history has it. */
export const lastWords = document(z.object({ schema: z.literal(1), text: z.string() }), (keys, ref: AttemptRef) =>
  keys.lastWords(ref),
);
