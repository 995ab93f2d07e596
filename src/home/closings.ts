import { z } from 'zod';
import { document } from './document.js';

/**
 * A model or provider that the service closed to the account during a batch. It is closed by the mark being there;
 * `sentence` says which row was refused and how. Marks of earlier builds have none.
 */
export const closing = document(
  z.object({ schema: z.literal(1), sentence: z.string().exactOptional() }),
  (keys, batch: string, name: string) => keys.closing(batch, name),
);
