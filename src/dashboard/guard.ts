import type { Context, MiddlewareHandler } from 'hono';
import type { Access } from './access.js';

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
