// The real toxiproxy as the network between two programs.
import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../scripts/lib/versitygw.mjs';
import { type BadNetwork, BYTES_PER_SECOND, LATENCY_MS, type Toxic } from './toxics.js';

const TOXICS: Record<Toxic, { type: string; attributes: object }> = {
  latency: { type: 'latency', attributes: { latency: LATENCY_MS } },
  bandwidth: { type: 'bandwidth', attributes: { rate: BYTES_PER_SECOND / 1_000 } },
  timeout: { type: 'timeout', attributes: { timeout: 0 } },
  reset: { type: 'reset_peer', attributes: { timeout: 0 } },
};

export async function startToxiproxy(program: string, targetPort: number): Promise<BadNetwork> {
  const [control, port] = [await freePort(), await freePort()];
  const child = spawn(program, ['-host', '127.0.0.1', '-port', String(control)], { stdio: 'ignore' });
  const ask = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`http://127.0.0.1:${control}${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`toxiproxy: ${method} ${path} gave ${answer.status}`);
  };
  for (let tries = 0; ; tries += 1) {
    if (await ask('GET', '/version').then(isDone, isNot)) break;
    if (tries > 200) throw new Error('toxiproxy does not answer');
    await sleep(50);
  }
  await ask('POST', '/proxies', { name: 'p', listen: `127.0.0.1:${port}`, upstream: `127.0.0.1:${targetPort}` });
  return {
    port,
    async become(toxic) {
      await ask('POST', '/reset');
      if (toxic === undefined) return;
      for (const stream of ['upstream', 'downstream'])
        await ask('POST', '/proxies/p/toxics', { stream, ...TOXICS[toxic] });
    },
    stop: async () => {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await gone;
    },
  };
}

const isDone = () => true;
const isNot = () => false;
