/** One thing that is wrong with the settings. `where` is a flag, a variable or `file:line:column`. */
export interface ConfigProblem {
  where?: string;
  /** The number of the list of bad input. */
  code: 'B49' | 'B50' | 'B52' | 'B53' | 'B56';
  /** What is wrong and what to do, in one sentence. */
  message: string;
}

/** The settings cannot be used; nothing was sent. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  constructor(readonly problems: readonly ConfigProblem[]) {
    super(problems.map(formatConfigProblem).join('\n'));
  }
}

export function formatConfigProblem({ where, code, message }: ConfigProblem): string {
  return where === undefined ? `${code} ${message}` : `${where}: ${code} ${message}`;
}
