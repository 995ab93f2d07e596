import type { JsonObject } from '../domain/json.js';

/** Tells every page that is open when something changed; looks only while a page is open, once for all of them. */
export interface Events {
  /** One JSON document a line, beginning with what is known now. */
  stream(signal: AbortSignal): ReadableStream<Uint8Array>;
  /** Looks at once, after an order. */
  look(): void;
  close(): void;
}

const LOOK_EVERY_MS = 2_000;
/** A look that takes long is made less often. */
const REST = 4;

export function createEvents(read: () => Promise<JsonObject>): Events {
  const watchers = new Set<(line: Uint8Array) => void>();
  let timer: NodeJS.Timeout | undefined;
  let isLooking = false;
  let last = '';
  const tell = async (): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    clearTimeout(timer);
    const beganAtMs = Date.now();
    const line = await lineOf(read);
    isLooking = false;
    if (line !== last) for (const send of watchers) send(new TextEncoder().encode(line));
    last = line;
    if (watchers.size > 0) {
      timer = setTimeout(() => void tell(), Math.max(LOOK_EVERY_MS, (Date.now() - beganAtMs) * REST)).unref();
    }
  };
  return {
    stream: (signal) => {
      let send: (line: Uint8Array) => void = () => undefined;
      const leave = (): void => {
        watchers.delete(send);
      };
      return new ReadableStream({
        start: (controller) => {
          send = (line) => controller.enqueue(line);
          signal.addEventListener('abort', leave);
          if (last !== '') send(new TextEncoder().encode(last));
          watchers.add(send);
          void tell();
        },
        cancel: leave,
      });
    },
    look: () => void tell(),
    close: () => {
      clearTimeout(timer);
      watchers.clear();
    },
  };
}

async function lineOf(read: () => Promise<JsonObject>): Promise<string> {
  try {
    return `${JSON.stringify(await read())}\n`;
  } catch (error) {
    return `${JSON.stringify({ failed: error instanceof Error ? error.message : String(error) })}\n`;
  }
}
