import type { Log } from '../../src/domain/log.js';

export const silent: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };
