import { expect, test, vi } from 'vitest';
import { createVettedConnector, ForbiddenAddressError } from '../../src/service/public-address.js';

const socket = vi.hoisted(() => ({ remoteAddress: '', destroy: () => undefined, push: () => true }));

// A machine that connects elsewhere than it was told (a proxy, a changed route) cannot be had in a test.
vi.mock('undici', () => ({
  buildConnector: () => (_: unknown, callback: (error: null, connected: typeof socket) => void) =>
    callback(null, socket),
}));

function connect(protocol: string, remoteAddress: string, allowLoopback: boolean) {
  socket.remoteAddress = remoteAddress;
  const connector = createVettedConnector({ allowLoopback, connectTimeoutMs: 1_000 });
  const callback = vi.fn();
  connector({ hostname: 'cdn.example', protocol, port: '443' }, callback);
  return callback.mock.calls[0]?.[0] as Error | null;
}

test('F44, I18: the address that was connected counts, whatever the name resolved to', () => {
  const destroy = vi.spyOn(socket, 'destroy');
  expect(connect('https:', '8.8.8.8', false)).toBeNull();
  expect(destroy).not.toHaveBeenCalled();
  expect(connect('https:', '10.0.0.5', false)).toBeInstanceOf(ForbiddenAddressError);
  expect(connect('https:', '127.0.0.1', false)).toBeInstanceOf(ForbiddenAddressError);
  expect(connect('https:', '', false)).toBeInstanceOf(ForbiddenAddressError);
  expect(destroy).toHaveBeenCalledTimes(3);
});

test('without TLS only an allowed loopback address is connected', () => {
  expect(connect('http:', '::ffff:127.0.0.1', true)).toBeNull();
  expect(connect('http:', '8.8.8.8', true)).toBeInstanceOf(ForbiddenAddressError);
  expect(connect('http:', '127.0.0.1', false)).toBeInstanceOf(ForbiddenAddressError);
});
