import type { MediaSort } from './media-type.js';

/** What the bytes of a medium show. Absent facts could not be read. */
export interface MediaFacts {
  sort: MediaSort | 'other';
  /** As the first bytes say, not the name: `image/png`. */
  mediaType: string;
  bytes: number;
  sha256: string;
  width?: number;
  height?: number;
  /** True when an image can have transparent pixels. */
  transparent?: boolean;
  seconds?: number;
}
