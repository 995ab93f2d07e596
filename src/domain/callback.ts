/** 256 random bits as the last part of an attempt's own callback URL: base64url, 43 characters. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

export function callbackUrl(base: string, token: string): string {
  return `${base}/${token}`;
}

/** The token at the end of a request's path, whatever a proxy in front put before it; undefined when there is none. */
export function tokenIn(path: string): string | undefined {
  const last = path.slice(path.lastIndexOf('/') + 1);
  return TOKEN.test(last) ? last : undefined;
}
