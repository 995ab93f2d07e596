import { randomBytes } from 'node:crypto';
import { callbackUrl } from '../src/domain/attempt.js';

import type { RowWork } from '../src/home/row-work.js';
import type { Dependencies } from './dependencies.js';

/** The URL that one attempt's status updates may be posted to. */
export interface CallbackOffer {
  /** Never the claim's nonce: that one proves whose claim it is and is told to nobody. */
  token: string;
  url: string;
}

/** A URL that nobody can guess, for a kind whose submit takes one and only where the settings say how to be reached. */
export function newCallbackOffer({ settings }: Dependencies, { adapter }: RowWork): CallbackOffer | undefined {
  const { url } = settings.callbacks;
  if (url === null || adapter.flow !== 'async' || adapter.takesCallback !== true) return undefined;
  const token = randomBytes(32).toString('base64url');
  return { token, url: callbackUrl(url, token) };
}
