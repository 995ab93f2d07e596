import { randomBytes } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CallbackReceiver, createSwitchboard, ListenError, startReceiver } from '../../src/callbacks/receiver.js';

const TOKEN = randomBytes(32).toString('base64url');

describe('the receiver of callbacks (F53; threat: forged callbacks)', () => {
  let receiver: CallbackReceiver;
  let heard: string[];
  let error: Error | undefined;
  beforeEach(async () => {
    heard = [];
    error = undefined;
    receiver = await startReceiver({
      listen: '127.0.0.1:0',
      desk: {
        async open(token) {
          if (token !== TOKEN) return undefined;
          return async (body) => {
            if (error) throw error;
            heard.push(Buffer.from(body).toString());
          };
        },
      },
      onError: () => undefined,
    });
  });
  afterEach(() => receiver.close());

  it('hears a body that was sent to the token of an attempt, whatever a proxy put before it', async () => {
    expect(await send(`${receiver.address}/${TOKEN}`, '{"a":1}')).toBe(204);
    expect(await send(`${receiver.address}/hooks/callsheet/${TOKEN}?x=1`, '{"a":2}')).toBe(204);
    expect(heard).toEqual(['{"a":1}', '{"a":2}']);
  });

  it('answers 404 to every other path, token and method', async () => {
    const wrong = TOKEN.slice(0, -1) + (TOKEN.endsWith('A') ? 'B' : 'A');
    for (const path of ['/', '/x', `/${wrong}`, `/${TOKEN}/`, `/${TOKEN}x`, `/..%2f${TOKEN.slice(3)}`]) {
      expect(await send(receiver.address + path, '{}'), path).toBe(404);
    }
    expect(await send(`${receiver.address}/${TOKEN}`, undefined, 'GET')).toBe(404);
    expect(heard).toEqual([]);
  });

  it('answers 404 to a wrong token before it reads 10 MB', async () => {
    expect(await send(`${receiver.address}/${'A'.repeat(43)}`, 'x'.repeat(10_000_000))).toBe(404);
  });

  it('takes 64 KB and answers 413 above, with and without a length', async () => {
    expect(await send(`${receiver.address}/${TOKEN}`, 'x'.repeat(65_536))).toBe(204);
    expect(await send(`${receiver.address}/${TOKEN}`, 'x'.repeat(65_537))).toBe(413);
    expect(await send(`${receiver.address}/${TOKEN}`, 'x'.repeat(10_000_000))).toBe(413);
    expect(await send(`${receiver.address}/${TOKEN}`, ['x'.repeat(60_000), 'x'.repeat(60_000)])).toBe(413);
    expect(heard).toHaveLength(1);
  });

  it('answers 408 to a body that takes longer than 5 s', async () => {
    const said = await drip(receiver.address, `POST /${TOKEN} HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{`);
    expect(said).toMatch(/^HTTP\/1\.1 408 /);
    expect(heard).toEqual([]);
  });

  it('ends a connection that never finishes its headers', async () => {
    expect(await drip(receiver.address, `POST /${TOKEN} HTTP/1.1\r\nhost: x\r\n`)).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('answers 503 when the hint could not be passed on, so that the sender may try again', async () => {
    error = new Error('no Temporal');
    expect(await send(`${receiver.address}/${TOKEN}`, '{}')).toBe(503);
  });

  it('says that it is there', async () => {
    expect(await send(`${receiver.address}/healthz`, undefined, 'GET')).toBe(204);
  });

  it('is shared by the accounts of a process, and closed with the last of them', async () => {
    const board = createSwitchboard(() => undefined);
    const desk = (mine: string) => ({
      open: async (token: string) => (token === mine ? async () => void heard.push(mine.slice(0, 1)) : undefined),
    });
    await receiver.close();
    const listen = receiver.address.replace('http://', '');
    await board.connect('one', listen, desk('1'.repeat(43)));
    await board.connect('two', listen, desk('2'.repeat(43)));
    expect(await send(`${receiver.address}/${'2'.repeat(43)}`, '{}')).toBe(204);
    expect(await send(`${receiver.address}/${'1'.repeat(43)}`, '{}')).toBe(204);
    expect(heard).toEqual(['2', '1']);
    const other = createSwitchboard(() => undefined);
    await expect(other.connect('three', listen, desk('3'.repeat(43)))).rejects.toThrow(ListenError);
    await board.disconnect('one');
    expect(await send(`${receiver.address}/${'1'.repeat(43)}`, '{}')).toBe(404);
    await board.disconnect('two');
    await other.connect('three', listen, desk('3'.repeat(43)));
    await other.disconnect('three');
    receiver = await startReceiver({ listen: '127.0.0.1:0', desk: desk(''), onError: () => undefined });
  });
});

/** The status; 0 where the connection broke before there was one. */
function send(url: string, body: string | string[] | undefined, method = 'POST'): Promise<number> {
  return new Promise((resolve) => {
    const request = httpRequest(url, { method, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.on('error', () => resolve(0));
    if (typeof body === 'string') request.setHeader('content-length', Buffer.byteLength(body));
    for (const part of [body ?? []].flat()) request.write(part);
    request.end();
  });
}

/** Sends a beginning and nothing more; gives what was answered until the connection ended. */
function drip(address: string, text: string): Promise<string> {
  const { hostname, port } = new URL(address);
  return new Promise((resolve) => {
    let said = '';
    const socket = connect(Number(port), hostname, () => socket.write(text));
    socket.setEncoding('utf8').on('data', (part: string) => {
      said += part;
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(said));
  });
}
