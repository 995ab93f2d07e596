// The session of this tab, and the questions that it asks the server with it.

const KEY = 'callsheet-session';
const CHANNEL = 'callsheet-session';
const ASK_MS = 400;

export class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** Takes the code of the address, else this tab's session, else that of another tab; undefined where there is none. */
export async function beginSession(): Promise<string | undefined> {
  const code = /^#code=([\w-]+)$/.exec(location.hash)?.[1];
  if (code !== undefined) {
    history.replaceState(null, '', '#/');
    await openSession({ code });
  }
  const token = sessionStorage.getItem(KEY) ?? (await askOtherTabs());
  if (token === undefined) return undefined;
  sessionStorage.setItem(KEY, token);
  shareWithTabs();
  return token;
}

/** Exchanges what the person has for a session of this tab; throws a `Refused` with the server's sentence. */
export async function openSession(key: { code: string } | { secret: string }): Promise<void> {
  const answer = await fetch('/api/session', { method: 'POST', body: JSON.stringify(key) });
  const { token, message } = (await answer.json()) as { token?: string; message?: string };
  if (token === undefined) throw new Refused(answer.status, message ?? 'refused');
  sessionStorage.setItem(KEY, token);
}

/** Whether this server opens a session for its secret. */
export async function asksForSecret(): Promise<boolean> {
  const answer = await fetch('/api/session');
  return ((await answer.json()) as { asksForSecret?: boolean }).asksForSecret === true;
}

function askOtherTabs(): Promise<string | undefined> {
  const channel = new BroadcastChannel(CHANNEL);
  return new Promise((resolve) => {
    const end = (token: string | undefined): void => {
      channel.close();
      resolve(token);
    };
    const timer = setTimeout(() => end(undefined), ASK_MS);
    channel.onmessage = ({ data }) => {
      if (typeof data?.token !== 'string') return;
      clearTimeout(timer);
      end(data.token);
    };
    channel.postMessage('who has a session?');
  });
}

function shareWithTabs(): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = ({ data }) => {
    if (typeof data === 'string') channel.postMessage({ token: sessionStorage.getItem(KEY) });
  };
}

const headers = (): Record<string, string> => ({ 'x-callsheet-session': sessionStorage.getItem(KEY) ?? '' });

export async function ask<T>(path: string, body?: object): Promise<T> {
  const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const answer = await fetch(`/api${path}`, { ...sent, headers: headers() });
  const said = (await answer.json()) as T & { message?: string };
  if (!answer.ok) throw new Refused(answer.status, said.message ?? `HTTP ${answer.status}`);
  return said;
}

const AGAIN_MS = 2_000;

/**
 * Calls back with each state of the batches, for as long as the page is open; a lost connection is made again. Throws a
 * `Refused` when the server knows the session no more, as after its restart.
 */
export async function follow<T>(tell: (state: T) => void, lost: (isLost: boolean) => void): Promise<never> {
  for (;;) {
    try {
      const answer = await fetch('/api/events', { headers: headers() });
      if (answer.status === 403) await endSession(answer);
      if (answer.body !== null) {
        lost(false);
        await readLines(answer.body, (line) => tell(JSON.parse(line) as T));
      }
    } catch (error) {
      if (error instanceof Refused) throw error;
      // The server is gone for now; what is shown stays, and says so.
    }
    lost(true);
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
}

async function endSession(answer: Response): Promise<never> {
  sessionStorage.removeItem(KEY);
  const { message } = (await answer.json()) as { message?: string };
  throw new Refused(answer.status, message ?? 'refused');
}

async function readLines(body: ReadableStream<Uint8Array>, line: (text: string) => void): Promise<void> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let rest = '';
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const lines = (rest + part.value).split('\n');
    rest = lines.pop() ?? '';
    for (const one of lines) line(one);
  }
}
