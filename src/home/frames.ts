import { z } from 'zod';
import type { OutputFile } from '../domain/outcome.js';
import type { Frame } from '../domain/row.js';
import { encodeJson, forgotten, readJson } from '../store/json-file.js';
import type { Home } from './home.js';

/** Which frames of films were taken: the picture lies among the home's media, a damaged note is made again. */

export const frameSchema = z.object({
  schema: z.literal(1),
  sha256: z.string(),
  contentType: z.string(),
  bytes: z.int(),
});

/** The frame of a film as a file that feeds; undefined until it was taken. */
export async function readFrame({ store, keys }: Home, film: string, frame: Frame): Promise<OutputFile | undefined> {
  const found = await readJson(store, keys.frame(film, frame), frameSchema, forgotten);
  return found && { file: `frames/${film}-${frame}.png`, ...found };
}

export async function writeFrame(home: Home, film: string, frame: Frame, png: Uint8Array): Promise<OutputFile> {
  const sha256 = await home.putBlob(png);
  const taken = { schema: 1 as const, sha256, contentType: 'image/png', bytes: png.length };
  await home.store.put(home.keys.frame(film, frame), encodeJson(taken));
  return { file: `frames/${film}-${frame}.png`, ...taken };
}
