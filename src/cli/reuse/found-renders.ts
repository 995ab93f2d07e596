import type { CreditsNano } from '../../domain/money.js';
import type { RenderFlaw } from './check-render.js';
import type { Candidate } from './match-renders.js';
import { createRenderSources, type RenderSources } from './render-sources.js';

/** Which earlier renders stand for rows: none, those whose inputs are known by their bytes, or all. */
export type ReuseOrder = 'none' | 'bytes' | 'urls';

/** What was rendered for the same requests before. */
export interface FoundRenders {
  order: ReuseOrder;
  /** Rows that have an earlier render, and what those cost. */
  rows: number;
  creditsNano: CreditsNano;
  creditsUnknown: number;
  /** By batch: how many of its renders, and when the last of them ended. */
  batches: Map<string, { rows: number; lastMs: number }>;
  /** Rows that only an order for inputs behind URLs covers. */
  urlRows: number;
  /** Rows that are rendered since their renders are not what was stored any more, and the first of those. */
  lostCount: number;
  lost: RenderFlaw[];
  sources: RenderSources;
}

/** What is known of the manifest once it was read. */
export interface ManifestFacts {
  /** By index. */
  finishedBefore: readonly boolean[];
  onReused(row: Candidate): void;
  onElsewhere(row: Candidate): void;
}

export function newFound(order: ReuseOrder): FoundRenders {
  const counts = { rows: 0, creditsNano: 0, creditsUnknown: 0, urlRows: 0, lostCount: 0 };
  return { order, ...counts, batches: new Map(), lost: [], sources: createRenderSources() };
}

/** The earlier renders that are taken over; undefined where none is. */
export function takenOver(found: FoundRenders | undefined): RenderSources | undefined {
  const isOrdered = found !== undefined && found.order !== 'none' && found.sources.count() > 0;
  return isOrdered ? found.sources : undefined;
}
