// What the server tells of its batches. A browser has six connections to one server for all of its tabs, and a stream
// takes one for as long as it is read: so one tab, the one that has the lock, reads it and tells the others.

import { askWithSession, Refused } from './session';

/** All that a tab must know, so that one that was opened later needs no more than the last one. */
export interface Told {
  /** The server's last line, JSON; empty before the first one. */
  line: string;
  /** The server does not answer now. */
  isLost: boolean;
}

const NAME = 'callsheet-events';
const QUESTION = 'what was told last?';
const AGAIN_MS = 2_000;

/**
 * Calls back with each state of the batches, for as long as the page is open; a lost connection is made again. Throws a
 * `Refused` when the server knows the session no more, as after its restart; another tab then takes the stream over.
 */
export async function follow(tell: (told: Told) => void): Promise<never> {
  // Only a page that came by TLS or from this machine has locks.
  if (!('locks' in navigator)) return await readStream(tell);
  const channel = new BroadcastChannel(NAME);
  channel.onmessage = ({ data }) => typeof data?.line === 'string' && tell(data);
  channel.postMessage(QUESTION);
  try {
    return await navigator.locks.request(NAME, () => readForAll(channel, tell));
  } finally {
    channel.close();
  }
}

async function readForAll(channel: BroadcastChannel, tell: (told: Told) => void): Promise<never> {
  let last: Told | undefined;
  channel.onmessage = ({ data }) => data === QUESTION && last !== undefined && channel.postMessage(last);
  return await readStream((told) => {
    last = told;
    channel.postMessage(told);
    tell(told);
  });
}

async function readStream(tell: (told: Told) => void): Promise<never> {
  let last = '';
  for (;;) {
    try {
      const answer = await askWithSession('/events');
      if (answer.ok && answer.body !== null) {
        await readLines(answer.body, (line) => {
          last = line;
          tell({ line, isLost: false });
        });
      }
    } catch (error) {
      if (error instanceof Refused) throw error;
      // The server is gone for now; what is shown stays, and says so.
    }
    tell({ line: last, isLost: true });
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
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
