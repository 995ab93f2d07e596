/** One POST to a webhook of the user: no redirect is followed, and of the answer only its status is looked at. */
import { Agent, request } from 'undici';
import { createVettedConnector, ForbiddenAddressError } from './public-address.js';

export interface Post {
  url: string;
  body: string;
  headers: Record<string, string>;
  /** Only addresses of the public internet, over TLS. */
  isPublicOnly: boolean;
}

export type Posted = { status: number } | { failed: string } | { forbidden: string };

const TIMEOUT_MS = 15_000;

/** Never throws. */
export async function postNotice({ url, body, headers, isPublicOnly }: Post): Promise<Posted> {
  const connect = isPublicOnly
    ? createVettedConnector({ allowLoopback: false, connectTimeoutMs: TIMEOUT_MS })
    : { timeout: TIMEOUT_MS };
  const dispatcher = new Agent({ connect, headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS });
  try {
    const answer = await request(url, { method: 'POST', body, headers, dispatcher });
    return { status: answer.statusCode };
  } catch (error) {
    if (error instanceof ForbiddenAddressError) return { forbidden: error.message };
    const { name, code } = error as Error & { code?: string };
    return { failed: code ?? name };
  } finally {
    // The body is of no interest, however long it is.
    await dispatcher.destroy();
  }
}
