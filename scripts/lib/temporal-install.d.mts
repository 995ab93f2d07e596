import type { FoundTemporalCli } from './temporal-cli.mjs';

/** Finds the program, else gets it. Of two set-ups at once one works and the other waits for it. */
export function ensureTemporalCli(
  env: NodeJS.ProcessEnv,
  onProgress: (line: string) => void,
  downloader?: string,
): Promise<FoundTemporalCli>;
