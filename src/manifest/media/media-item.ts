import type { MediaFacts } from '../../domain/media-facts.js';
import type { Media } from '../../domain/row.js';
import type { MediaFlaw } from './media-limits.js';

/** One media item: good with what is known of it, or what is wrong. */
export type MediaItem = { ok: true; media: Media; facts?: MediaFacts } | ({ ok: false } & MediaFlaw);
