// The session of this tab, and the questions that it asks the server with it.

const KEY = 'callsheet-session';
const ASK_MS = 400;
const QUESTION = 'who has a session?';

/** Tokens that the server did not take, as after its restart: another tab may still offer them. */
const refused = new Set<string>();
const waiting = new Set<(token: string) => void>();
const channel = new BroadcastChannel(KEY);
channel.onmessage = ({ data }) => {
  const own = kept();
  if (data === QUESTION && own !== undefined) channel.postMessage({ token: own });
  // A session that was not refused is kept: what another tab says of its own may be out of date.
  if (typeof data?.token === 'string' && own === undefined) offer(data.token);
};

export class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/**
 * Takes the code of the address, else this tab's session, else that of another tab; false where there is none. Throws a
 * `Refused` for a code that is used up where nobody has a session.
 */
export async function beginSession(): Promise<boolean> {
  const refusal = await takeCode().catch((error: Error) => error);
  if (kept() !== undefined || (await askOtherTabs())) return true;
  if (refusal !== undefined) throw refusal;
  return false;
}

async function takeCode(): Promise<void> {
  const code = /^#code=([\w-]+)$/.exec(location.hash)?.[1];
  if (code === undefined) return;
  history.replaceState(null, '', '#/');
  await openSession({ code });
}

/** An address with a code that is opened in a tab which shows the page already does not load it again. */
export function takeLaterCodes(refused: (error: Error) => void): void {
  addEventListener('hashchange', () => {
    takeCode().catch((error: Error) => kept() === undefined && refused(error));
  });
}

/** Exchanges what the person has for a session of this tab; throws a `Refused` with the server's sentence. */
export async function openSession(key: { code: string } | { secret: string }): Promise<void> {
  const answer = await fetch('/api/session', { method: 'POST', body: JSON.stringify(key) });
  const { token, message } = (await answer.json()) as { token?: string; message?: string };
  if (token === undefined) throw new Refused(answer.status, message ?? 'refused');
  sessionStorage.setItem(KEY, token);
  // Tabs that have none, as after a restart of the server, take this one.
  channel.postMessage({ token });
  offer(token);
}

/** Whether this server opens a session for its secret. */
export async function asksForSecret(): Promise<boolean> {
  const answer = await fetch('/api/session');
  return ((await answer.json()) as { asksForSecret?: boolean }).asksForSecret === true;
}

/** Ends when this tab or another one has opened a session; this tab has it then. */
export function nextSession(): Promise<void> {
  return new Promise((resolve) => {
    const take = (token: string): void => {
      waiting.delete(take);
      sessionStorage.setItem(KEY, token);
      resolve();
    };
    waiting.add(take);
  });
}

function kept(): string | undefined {
  return sessionStorage.getItem(KEY) ?? undefined;
}

function offer(token: string): void {
  if (refused.has(token)) return;
  for (const take of [...waiting]) take(token);
}

/** True when another tab had a session that was not refused yet; this tab has it then. */
function askOtherTabs(): Promise<boolean> {
  channel.postMessage(QUESTION);
  const isNone = new Promise<false>((resolve) => setTimeout(() => resolve(false), ASK_MS));
  return Promise.race([nextSession().then(() => true), isNone]);
}

/**
 * Asks with this tab's session, and where the server knows it no more, with those of other tabs. Throws a `Refused` when
 * it takes none of them.
 */
export async function askWithSession(path: string, init: RequestInit = {}): Promise<Response> {
  for (;;) {
    const token = kept() ?? '';
    const answer = await fetch(`/api${path}`, { ...init, headers: { 'x-callsheet-session': token } });
    if (answer.status !== 403) return answer;
    refused.add(token);
    if (kept() === token) sessionStorage.removeItem(KEY);
    if (kept() === undefined && !(await askOtherTabs())) {
      const { message } = (await answer.json()) as { message?: string };
      throw new Refused(answer.status, message ?? 'refused');
    }
  }
}

export async function ask<T>(path: string, body?: object): Promise<T> {
  const answer = await askWithSession(path, body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) });
  const said = (await answer.json()) as T & { message?: string };
  if (!answer.ok) throw new Refused(answer.status, said.message ?? `HTTP ${answer.status}`);
  return said;
}
