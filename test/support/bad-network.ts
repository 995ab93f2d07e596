// A network between two programs that can be made slow, narrow, silent or broken over real sockets: a small proxy of our
// own, or toxiproxy where CALLSHEET_TOXIPROXY names its server program.
import { createServer, connect as open, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BadNetwork, BYTES_PER_SECOND, LATENCY_MS, type Toxic } from './toxics.js';
import { startToxiproxy } from './toxiproxy.js';

export function startBadNetwork(targetPort: number): Promise<BadNetwork> {
  const program = process.env.CALLSHEET_TOXIPROXY;
  return program === undefined ? startOwn(targetPort) : startToxiproxy(program, targetPort);
}

async function startOwn(targetPort: number): Promise<BadNetwork> {
  let toxic: Toxic | undefined;
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = open(targetPort, '127.0.0.1');
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    if (toxic === 'reset') near.resetAndDestroy();
    void carry(near, far, () => toxic);
    void carry(far, near, () => toxic);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    async become(next) {
      toxic = next;
      if (toxic === 'reset') for (const socket of sockets) socket.resetAndDestroy();
    },
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function carry(from: Socket, to: Socket, now: () => Toxic | undefined): Promise<void> {
  try {
    for await (const chunk of from) {
      const bytes = chunk as Buffer;
      if (now() === 'latency') await sleep(LATENCY_MS);
      if (now() === 'bandwidth') await sleep((bytes.length / BYTES_PER_SECOND) * 1_000);
      while (now() === 'timeout' && !to.destroyed) await sleep(50);
      if (!to.write(bytes)) await new Promise((resolve) => to.once('drain', resolve).once('close', resolve));
    }
    to.end();
  } catch {
    to.destroy();
  }
}
