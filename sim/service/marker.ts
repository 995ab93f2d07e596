import type { JsonObject } from '../../src/domain/json.js';

/** What a row's text carries, so that the service's truth can be told row by row. */
export function markerOf(batch: string, id: string): string {
  return `sim-${batch}-${id}-mark`;
}

export function readMarker(body: JsonObject | undefined): { batch: string; id: string } | undefined {
  const match = /sim-([a-z0-9]+)-([a-z0-9]+)-mark/.exec(JSON.stringify(body ?? {}));
  return match?.[1] && match[2] ? { batch: match[1], id: match[2] } : undefined;
}
