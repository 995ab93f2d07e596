// `callsheet dashboard` on a home without an engine, in the test's own process.
import { type CliSurroundings, cli } from '../cli/harness.js';
import type { SeededHome } from '../cli/seeded-home.js';
import { ACCOUNT } from '../cli/seeded-home.js';

export interface ServedHome {
  /** The address with its code. */
  url: string;
  origin: string;
  args: string[];
  /** Everything that the command said so far. */
  told(): string;
  stop(): Promise<void>;
}

export async function serveHome(home: SeededHome, ...flags: string[]): Promise<ServedHome> {
  return serveWith(home, { env: { CALLSHEET_API_KEY: 'sk-svc-test' } }, ...flags);
}

/** `key`: where the command has it from. */
export async function serveWith(
  home: SeededHome,
  key: Pick<CliSurroundings, 'env' | 'stdin'>,
  ...flags: string[]
): Promise<ServedHome> {
  let end = (): void => undefined;
  let told = '';
  const settings = ['--home', `${home.folder}/home`, '--account', ACCOUNT, '--base-url', 'http://127.0.0.1:9'];
  let heard: (url: string) => void = () => undefined;
  const url = new Promise<string>((resolve) => {
    heard = resolve;
  });
  const ended = cli(['dashboard', '--json', ...flags, ...settings], {
    ...{ cwd: home.folder, ...key },
    onOutput: (text) => {
      told += text;
      const found = /"url":"([^"]+)"/.exec(told)?.[1];
      if (found !== undefined) heard(found);
    },
    onInterruptible: (interrupt) => {
      end = interrupt;
    },
  });
  const at = await Promise.race([url, ended.then(({ stderr }) => Promise.reject(new Error(stderr)))]);
  return {
    ...{ url: at, origin: new URL(at).origin, args: settings, told: () => told },
    stop: async () => {
      end();
      await ended;
    },
  };
}

/** The token that the code of the printed address is exchanged for. */
export async function sessionOf({ url, origin }: ServedHome): Promise<string> {
  const body = JSON.stringify({ code: url.split('#code=')[1] });
  const answer = await fetch(`${origin}/api/session`, { method: 'POST', body });
  return ((await answer.json()) as { token: string }).token;
}
