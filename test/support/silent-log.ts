import type { Log } from '../../src/activities/dependencies.js';

export const silent: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };
