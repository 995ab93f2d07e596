/** A TCP or TLS server that a test scripts byte by byte, and that keeps what each connection received. */
import net from 'node:net';
import tls from 'node:tls';

interface RawConnection {
  socket: net.Socket;
  received: string;
}

export interface RawServer {
  url: string;
  connections: RawConnection[];
  /** All request bytes of all connections. */
  wire(): string;
  /** How many requests with a body reached the server. */
  postCount(): number;
  close(): Promise<void>;
}

type OnRequest = (connection: RawConnection, position: number) => void;

/** Calls `onRequest` each time a connection has received one more whole request. */
export async function startRawServer(
  onRequest: OnRequest,
  options: { tls?: tls.TlsOptions; onConnection?: (socket: net.Socket) => void } = {},
): Promise<RawServer> {
  const connections: RawConnection[] = [];
  const accept = (socket: net.Socket) => {
    const connection = { socket, received: '' };
    connections.push(connection);
    socket.on('error', () => undefined);
    options.onConnection?.(socket);
    let handled = 0;
    socket.on('data', (chunk) => {
      connection.received += chunk.toString('latin1');
      const whole = countRequests(connection.received);
      for (; handled < whole; handled += 1) onRequest(connection, handled);
    });
  };
  const server = options.tls ? tls.createServer(options.tls, accept) : net.createServer(accept);
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as net.AddressInfo;
  const wire = () => connections.map(({ received }) => received).join('');
  return {
    url: `${options.tls ? 'https://localhost' : 'http://127.0.0.1'}:${port}`,
    connections,
    wire,
    postCount: () => wire().split('POST /').length - 1,
    close: () =>
      new Promise((resolve) => {
        for (const { socket } of connections) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

function countRequests(received: string): number {
  let count = 0;
  let rest = received;
  for (;;) {
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0) return count;
    const length = Number(/content-length: (\d+)/i.exec(rest.slice(0, end))?.[1] ?? 0);
    if (rest.length < end + 4 + length) return count;
    count += 1;
    rest = rest.slice(end + 4 + length);
  }
}

/** One HTTP answer as text. */
export function answer(status: number, body: string, headers: Record<string, string> = {}): string {
  const all = { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(body)), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} X\r\n${lines.join('')}\r\n${body}`;
}
