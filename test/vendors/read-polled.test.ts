// Service document 2: the avatar's poll echoes its handle back, a multi-mode poll has `data.task_id`, an operation `name`.
import { expect, it } from 'vitest';
import type { Kind } from '../../src/domain/kind.js';
import { adapterFor } from '../../src/kinds/index.js';
import { readPolled } from '../../src/kinds/readings.js';

const ENDS: [Kind, (handle?: string) => object][] = [
  ['vendor-b/avatar', (id) => ({ data: { ...(id ? { id } : {}), status: 'failed' } })],
  [
    'vendor-a/text2video',
    (task) => ({ code: 0, data: { ...(task ? { task_id: task } : {}), task_status: 'failed', task_status_msg: 'no' } }),
  ],
  ['vendor-f/video', (name) => ({ ...(name ? { name } : {}), done: true, error: { message: 'no' } })],
];

it.each(ENDS)('an answer about another job ends none (%s)', (kind, body) => {
  const adapter = adapterFor(kind);
  if (adapter.flow !== 'async') throw new Error('not asynchronous');
  const read = (handle?: string) => {
    const answer = { status: 200, contentType: 'application/json', retryAfter: undefined };
    return readPolled(adapter, 'ours', { ...answer, body: Buffer.from(JSON.stringify(body(handle))) }).reading;
  };
  expect(read('ours')).toBe('failed');
  expect(read()).toBe('failed');
  expect(read('another')).toBe('unreadable');
});

it('vendor-f: a name that no handle can have is not that of another job', () => {
  const adapter = adapterFor('vendor-f/video');
  if (adapter.flow !== 'async') throw new Error('not asynchronous');
  for (const name of ['operations/ours', 'models/m/operations/1']) {
    const body = Buffer.from(JSON.stringify({ name, done: true, error: { message: 'no' } }));
    const answer = { status: 200, contentType: 'application/json', retryAfter: undefined, body };
    expect(readPolled(adapter, 'ours', answer).reading).toBe('failed');
  }
});

it.each(ENDS)(
  'a handle with escapes may be echoed as the path had it, or as the service read it (%s)',
  (kind, body) => {
    const adapter = adapterFor(kind);
    if (adapter.flow !== 'async') throw new Error('not asynchronous');
    const read = (handle: string, echoed: string) => {
      const answer = { status: 200, contentType: 'application/json', retryAfter: undefined };
      return readPolled(adapter, handle, { ...answer, body: Buffer.from(JSON.stringify(body(echoed))) }).reading;
    };
    expect(read('a%2Bb%3D', 'a%2Bb%3D')).toBe('failed');
    expect(read('a%2Bb%3D', 'a+b=')).toBe('failed');
    expect(read('a/b=', 'a%2Fb%3D')).toBe('failed');
    expect(read('50%', '50%')).toBe('failed');
    expect(read('ours', ' ')).toBe('failed');
    expect(read('a%2Bb%3D', 'a+c=')).toBe('unreadable');
  },
);

it('vendor-b: beside its handle any word but the two ends means that the job runs', () => {
  const read = (kind: Kind, body: object) => {
    const adapter = adapterFor(kind);
    if (adapter.flow !== 'async') throw new Error('not asynchronous');
    const answer = { status: 200, contentType: 'application/json', retryAfter: undefined };
    return readPolled(adapter, 'ours', { ...answer, body: Buffer.from(JSON.stringify(body)) });
  };
  const running = { reading: 'running', word: 'rendering' };
  expect(read('vendor-b/avatar', { data: { id: 'ours', status: 'rendering' } })).toEqual({ ...running, known: true });
  // A gateway may have words of its own, and of the other families no document says what they mean.
  expect(read('vendor-b/avatar', { data: { status: 'rendering' } })).toEqual({ ...running, known: false });
  const task = { code: 0, data: { task_id: 'ours', task_status: 'rendering' } };
  expect(read('vendor-a/text2video', task)).toEqual({ ...running, known: false });
});
