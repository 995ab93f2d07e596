/** Opens one connection to the service and says in which phase it failed. */

import type { Socket } from 'node:net';
import net from 'node:net';
import tls from 'node:tls';
import type { buildConnector } from 'undici';
import { defined } from '../domain/defined.js';

export type ConnectPhase = 'dns' | 'connect' | 'tls';

/** A connection that was never there: what was asked on it cannot have been sent. */
export class ConnectError extends Error {
  override readonly name = 'ConnectError';
  constructor(
    readonly phase: ConnectPhase,
    readonly code: string,
  ) {
    super(`${phase} failed (${code})`);
  }
}

export interface ConnectorOptions {
  /** For name, connection and TLS together. */
  timeoutMs: number;
  /** Certificate authorities to trust instead of the built-in ones, PEM. */
  ca?: string | undefined;
  onSocket?: (socket: net.Socket) => void;
}

const KEEP_ALIVE_AFTER_MS = 30_000;

/** HTTP/1.1 only: over HTTP/2 a refused stream may be sent again by the library. */
export function createConnector({ timeoutMs, ca, onSocket }: ConnectorOptions): buildConnector.connector {
  return ({ hostname, port, protocol }: buildConnector.Options, callback: buildConnector.Callback): void => {
    const secure = protocol === 'https:';
    const target = { host: hostname, port: Number(port) || (secure ? 443 : 80), noDelay: true };
    const isAddress = net.isIP(hostname) !== 0;
    const socket = secure
      ? tls.connect({
          ...target,
          ...(isAddress ? {} : { servername: hostname }),
          ...defined({ ca }),
          ALPNProtocols: ['http/1.1'],
        })
      : net.connect(target);
    // A call may render for minutes without a byte: a peer that is gone is noticed long before its limit.
    socket.setKeepAlive(true, KEEP_ALIVE_AFTER_MS);
    skipInterimAnswers(socket);
    onSocket?.(socket);

    let phase: ConnectPhase = isAddress ? 'connect' : 'dns';
    let open = true;
    const end = (report: () => void) => {
      if (!open) return;
      open = false;
      clearTimeout(timer);
      report();
    };
    const fail = (code: string) => end(() => callback(new ConnectError(phase, code), null));
    const timer = setTimeout(() => {
      fail('TIMEOUT');
      socket.destroy();
    }, timeoutMs);

    socket.once('lookup', (error) => {
      if (!error) phase = 'connect';
    });
    socket.once('connect', () => {
      if (secure) phase = 'tls';
    });
    socket.once(secure ? 'secureConnect' : 'connect', () => end(() => callback(null, socket)));
    // The listener stays: after the hand-over the library has its own, and an error without one would end the process.
    socket.on('error', (error: NodeJS.ErrnoException) => fail(error.code ?? 'UNKNOWN'));
    socket.once('close', () => fail('CLOSED'));
  };
}

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
