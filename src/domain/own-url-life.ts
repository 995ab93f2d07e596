import { type Kind, providerOf } from './kind.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * How long the URL that the service gave for an output can be named in another request, ms of service time; undefined
 * where nothing that long is shown. "The task id and the URL expire after 24 hours" (service document 2, shared route);
 * of images, and of vendor-e after a poll, it is an assumption.
 */
export function ownUrlLifeMs(kind: Kind): number | undefined {
  if (kind === 'svc/image' || kind === 'svc/edit') return DAY_MS;
  switch (providerOf(kind)) {
    case 'vendor-c':
    case 'vendor-g':
      return DAY_MS;
    case 'vendor-e':
      return HOUR_MS;
    default:
      return undefined;
  }
}
