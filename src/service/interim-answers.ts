import type { Socket } from 'node:net';

/** The beginning of every interim answer but `101 Switching Protocols`, which ends HTTP on its connection. */
const INTERIM = /^HTTP\/1\.[01] 1(?!01)\d\d/;
const INTERIM_START = /^HTTP\/1\.[01] 1/;
const START_BYTES = 'HTTP/1.1 100'.length;
const HEAD_END = '\r\n\r\n';
/** The most that an interim answer may take; what is longer is left to the parser. */
const HEAD_BYTES_MAX = 16 * 1024;

/**
 * Takes the interim answers (`100 Continue`, `103 Early Hints`) out of what the socket receives. They may come before any
 * answer (RFC 9110, 15.2), also when nobody asked for them, but undici closes the connection on a 100, and the answer
 * behind it would be lost.
 */
export function skipInterimAnswers(socket: Socket): void {
  const pass = socket.push.bind(socket);
  let held: Buffer = Buffer.alloc(0);
  /** As many bytes had been written when the last answer began: more of them are a further request. */
  let answeredBytes = -1;
  socket.push = (chunk: Buffer | null, ...rest) => {
    if (chunk === null) {
      if (held.length > 0) pass(held);
      return pass(null);
    }
    if (socket.bytesWritten === answeredBytes) return pass(chunk, ...rest);
    held = withoutInterim(Buffer.concat([held, chunk]));
    if (mayBeInterim(held)) return true;
    const begun = held;
    held = Buffer.alloc(0);
    answeredBytes = socket.bytesWritten;
    return pass(begun);
  };
}

function withoutInterim(bytes: Buffer): Buffer {
  let left = bytes;
  for (let end = left.indexOf(HEAD_END); end >= 0 && INTERIM.test(startOf(left)); end = left.indexOf(HEAD_END)) {
    left = left.subarray(end + HEAD_END.length);
  }
  return left;
}

/** So little has come that it may still turn out to be one, or to be the rest of one. */
function mayBeInterim(bytes: Buffer): boolean {
  const start = startOf(bytes);
  if (start.length === START_BYTES) return INTERIM.test(start) && bytes.length < HEAD_BYTES_MAX;
  return INTERIM_START.test(start + 'HTTP/1.1 1'.slice(start.length));
}

function startOf(bytes: Buffer): string {
  return bytes.toString('latin1', 0, START_BYTES);
}
