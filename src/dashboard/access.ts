import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Context, MiddlewareHandler } from 'hono';

/**
 * Who may use the page. A code of 256 bits is good once and for ten minutes; it is exchanged for a session's token,
 * which a page sends as a header. Media elements cannot send one, so their addresses are signed with it.
 */
export interface Access {
  /** True where a secret opens a session too. */
  readonly hasSecret: boolean;
  newCode(): string;
  /** The token of a new session, or undefined for a code that is unknown, used or old. */
  exchange(code: string): string | undefined;
  /** The token of a new session for whoever knows the secret of the dashboard; undefined where it has none. */
  exchangeSecret(given: string): string | undefined;
  isSession(token: string): boolean;
  /** `s=…&m=…` for a path, good as long as the session. */
  signature(token: string, path: string): string;
  isSigned(session: string, mark: string, path: string): boolean;
}

const CODE_LIFE_MS = 600_000;
const CODES_MAX = 100;
const SESSIONS_MAX = 1_000;

export function createAccess(now: () => number, secret?: string): Access {
  const codes = new Map<string, number>();
  /** The name of a session, which may stand in an address, and its token. */
  const sessions = new Map<string, string>();
  const newSession = (): string => {
    const token = randomBytes(32).toString('base64url');
    dropOldest(sessions, SESSIONS_MAX);
    sessions.set(nameOf(token), token);
    return token;
  };
  return {
    hasSecret: secret !== undefined,
    newCode: () => {
      const code = randomBytes(32).toString('base64url');
      dropOldest(codes, CODES_MAX);
      codes.set(nameOf(code), now() + CODE_LIFE_MS);
      return code;
    },
    exchange: (code) => {
      const endsAtMs = codes.get(nameOf(code));
      codes.delete(nameOf(code));
      return endsAtMs === undefined || endsAtMs <= now() ? undefined : newSession();
    },
    exchangeSecret: (given) => (secret !== undefined && isSame(given, secret) ? newSession() : undefined),
    isSession: (token) => sessions.has(nameOf(token)),
    signature: (token, path) => `s=${nameOf(token)}&m=${markOf(token, path)}`,
    isSigned: (session, mark, path) => {
      const token = sessions.get(session);
      return token !== undefined && isSame(mark, markOf(token, path));
    },
  };
}

/** Looked up by a hash, so that the time of a look-up tells nothing of the secret. */
function nameOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

function markOf(token: string, path: string): string {
  return createHmac('sha256', token).update(path).digest('hex');
}

export function isSame(given: string, known: string): boolean {
  return timingSafeEqual(Buffer.from(nameOf(given)), Buffer.from(nameOf(known)));
}

function dropOldest(entries: Map<string, unknown>, max: number): void {
  if (entries.size >= max) entries.delete(entries.keys().next().value ?? '');
}

/** What every request has to be before anything is read for it. */

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export const SESSION_HEADER = 'x-callsheet-session';

/**
 * The Host must be this server's own or one that `--host` names (any other name that leads here is another origin), and
 * so must the Origin where a browser sends one.
 */
export function ownPlaceOnly(places: () => ReadonlyMap<string, readonly string[]>): MiddlewareHandler {
  return async (context, next) => {
    context.header('content-security-policy', POLICY);
    context.header('x-content-type-options', 'nosniff');
    context.header('referrer-policy', 'no-referrer');
    context.header('cross-origin-opener-policy', 'same-origin');
    context.header('cross-origin-resource-policy', 'same-origin');
    context.header('cache-control', 'no-store');
    const host = context.req.header('host') ?? '';
    const origins = places().get(host.toLowerCase());
    if (origins === undefined) {
      return refuse(
        context,
        'this server answers only to its own address: open the URL that it printed, or name this one by --host',
      );
    }
    const origin = context.req.header('origin');
    if (origin !== undefined && !origins.includes(origin)) {
      return refuse(context, 'this request comes from a page of another origin: open the URL that the server printed');
    }
    await next();
    return undefined;
  };
}

export function sessionOnly(access: Access): MiddlewareHandler {
  return async (context, next) => {
    if (!access.isSession(context.req.header(SESSION_HEADER) ?? '')) {
      return refuse(context, 'this page has no session: `callsheet dashboard --url` prints an address that has');
    }
    await next();
    return undefined;
  };
}

export function refuse(context: Context, message: string): Response {
  return context.json({ message }, 403);
}
