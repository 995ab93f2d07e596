/** API keys: how a request carries one, and which of the five refusals applies (service document 1, Authentication). */

import type { IncomingHttpHeaders } from 'node:http';
import * as z from 'zod';
import type { Clock } from './clock.js';
import { authError } from './errors.js';

const KEY_STATES = ['active', 'revoked', 'expired', 'rotating'] as const;

const ROTATION_SECONDS = 24 * 3600;
const KEY_FORM = /^sk-svc-[\x21-\x7e]+$/;

/** One key of an account. A `rotating` key works for 24 hours (divided by the speed) after it was set so. */
export interface KeyOption {
  key: string;
  state: (typeof KEY_STATES)[number];
  /** The account it opens; default `default`. */
  account?: string;
  /** Restricted models that this key's account may use. */
  restrictedModelsGranted?: string[];
}

const keySchema = z.strictObject({
  key: z.string().regex(KEY_FORM, "must begin with 'sk-svc-'"),
  state: z.enum(KEY_STATES, `must be one of ${KEY_STATES.join(', ')}`),
  account: z.string().min(1).optional(),
  restrictedModelsGranted: z.array(z.string()).optional(),
});

/** Checks keys from JSON; throws one sentence that names the key by its place and never shows it. */
function parseKeys(json: unknown): KeyOption[] {
  const result = z.array(keySchema).safeParse(json);
  if (result.success) return result.data as KeyOption[];
  const issue = result.error.issues[0];
  const [place, field] = issue?.path ?? [];
  const where = typeof place === 'number' ? `key ${place + 1}` : 'keys';
  throw new Error(`${where}: ${field === undefined ? '' : `'${String(field)}' `}${issue?.message ?? 'not valid'}`);
}

export interface KeyEntry {
  key: string;
  state: KeyOption['state'];
  account: string;
  grants: readonly string[];
  /** When a rotating key stops working. */
  endsMs: number;
}

export interface Keys {
  set(keys: readonly KeyOption[]): void;
  /** Makes a new key of the same account; the old one works for 24 more hours. Returns the new key. */
  rotate(key: string): string;
  /** The entry of the request's key, or throws one of the five 401 refusals. */
  authenticate(headers: IncomingHttpHeaders): KeyEntry;
  accounts(): string[];
}

export function createKeys(clock: Clock, initial: readonly KeyOption[]): Keys {
  const entries = new Map<string, KeyEntry>();
  const put = (option: KeyOption): void => {
    entries.set(option.key, {
      key: option.key,
      state: option.state,
      account: option.account ?? 'default',
      grants: option.restrictedModelsGranted ?? [],
      endsMs: clock.nowMs() + clock.serviceMs(ROTATION_SECONDS),
    });
  };
  const keys: Keys = {
    set(options) {
      // Checked as a whole first: a mistake in one must not take the others away.
      const checked = parseKeys(options);
      entries.clear();
      for (const option of checked) put(option);
    },
    rotate(key) {
      const old = entries.get(key);
      if (old === undefined) throw new Error('the key to rotate is not known');
      const fresh = `${key.replace(/-r\d+$/, '')}-r${entries.size}`;
      put({ key, state: 'rotating', account: old.account, restrictedModelsGranted: [...old.grants] });
      put({ key: fresh, state: 'active', account: old.account, restrictedModelsGranted: [...old.grants] });
      return fresh;
    },
    authenticate(headers) {
      const key = keyOf(headers);
      if (key === undefined || key === '') throw authError('missing_api_key');
      if (!KEY_FORM.test(key)) throw authError('invalid_key_format');
      const entry = entries.get(key);
      if (entry === undefined) throw authError('invalid_api_key');
      if (entry.state === 'revoked') throw authError('key_revoked');
      if (entry.state === 'expired') throw authError('key_expired');
      // The documents say that a rotated key fails with "a 401"; of the five codes, expiry describes it.
      if (entry.state === 'rotating' && clock.nowMs() >= entry.endsMs) throw authError('key_expired');
      return entry;
    },
    accounts: () => [...new Set([...entries.values()].map((entry) => entry.account))],
  };
  keys.set(initial);
  return keys;
}

/** The key that a request carries; `Authorization: Bearer` takes precedence over `X-API-Key`. */
function keyOf(headers: IncomingHttpHeaders): string | undefined {
  const bearer = /^Bearer(?:\s+(.*))?$/i.exec(headers.authorization ?? '');
  if (bearer !== null) return (bearer[1] ?? '').trim();
  const header = headers['x-api-key'];
  return Array.isArray(header) ? header[0] : header;
}
