import type { Media, ResolvedMedia, ResolvedMediaSet, Row } from '../domain/row.js';
import type { Dependencies } from './dependencies.js';

/** Thrown when an input that `run` copied into the home is not there any more. */
export class InputMissing extends Error {
  override readonly name = 'InputMissing';
}

/** Reads the bytes that go inline; URLs stay URLs, since the service fetches them. */
export async function resolveMedia(deps: Dependencies, row: Row): Promise<ResolvedMediaSet> {
  const resolved: ResolvedMediaSet = {};
  for (const [column, list] of Object.entries(row.media)) {
    resolved[column] = await Promise.all(list.map((media) => resolve(deps, media)));
  }
  return resolved;
}

async function resolve(deps: Dependencies, media: Media): Promise<ResolvedMedia> {
  if (media.source === 'url') return { form: 'url', url: media.url };
  const bytes = await deps.home.getBlob(media.sha256);
  if (!bytes) throw new InputMissing(`the input ${media.sha256} is not in the home`);
  return { form: 'bytes', mediaType: media.mediaType, base64: Buffer.from(bytes).toString('base64') };
}
