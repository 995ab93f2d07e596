/** Opens one connection to the service and says in which phase it failed. */
import net from 'node:net';
import tls from 'node:tls';
import type { buildConnector } from 'undici';
import { skipInterimAnswers } from './interim-answers.js';

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
          ...(ca === undefined ? {} : { ca }),
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
