import type { Log } from '../../activities/dependencies.js';

export const silent: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };
