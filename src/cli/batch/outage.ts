import type { BatchSource } from './batch-source.js';

/** Errors of the connection, which pass; everything else is a defect. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const names = ['ServiceError', 'TransportError', 'QueryNotRegisteredError', 'StoreError', 'EngineError'];
  return names.includes(error.name) || 'code' in error || error.name.startsWith('Temporal');
}

/** What the work gives; undefined when an outage kept it from giving anything. */
export async function unlessOutage<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (!isOutage(error)) throw error;
    return undefined;
  }
}

/** Connects anew, as far as that goes; says so where a person has ended the engine. */
export async function reconnect(source: BatchSource): Promise<'stopped' | undefined> {
  try {
    await source.reconnect();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'stopped_by_order') return 'stopped';
    if (!isOutage(error)) throw error;
  }
  return undefined;
}
