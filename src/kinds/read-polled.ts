import type { Answer } from '../domain/exchange.js';
import { isJsonObject } from '../domain/json.js';
import type { PollReading } from '../domain/reading.js';
import type { AsyncAdapter } from './adapter.js';
import { unreadable } from './readings.js';
import { readJson } from './wire.js';

/**
 * What the answer to a poll of this handle says. Families whose documents show the handle in it tell an answer that
 * something on the way kept from the poll of another job: it says nothing of this one.
 */
export function readPolled(adapter: AsyncAdapter, handle: string, answer: Answer): PollReading {
  const echoed = adapter.echo && echoedIn(adapter.echo, answer);
  if (echoed !== undefined && echoed !== handle) return unreadable('the answer is about another job');
  return adapter.readPoll(answer);
}

function echoedIn(path: readonly string[], { body }: Answer): string | undefined {
  let value = readJson(body);
  for (const name of path) value = isJsonObject(value) ? value[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}
