// A callback of an attempt that was paid again still names a paid film (design 3, Recovering a lost handle).

import { randomBytes } from 'node:crypto';
import { expect, it, vi } from 'vitest';
import { createCallbackDesk } from '../../src/callbacks/take-callback.js';
import type { AttemptState } from '../../src/domain/attempt.js';
import { createCallbacks } from '../../src/home/handles.js';
import { createLedger } from '../../src/home/ledger.js';
import { createFolderStore } from '../../src/store/folder.js';
import { intent, states } from '../home/support/examples.js';
import { temporaryFolder } from '../store/support/temporary.js';

const REF = { batch: 'b', id: 'r1', n: 1 };
const BODY = Buffer.from('{"code":0,"data":{"task_id":"8123","task_status":"succeed"}}');

const undecided = { state: 'verdict', atMs: 3, verdict: 'undecided', sentence: 'it can be either' } as const;
const LOST: AttemptState[] = [states.unknown, undecided];

it.each<[string, AttemptState[], boolean]>([
  ['was paid again', [...LOST, { ...states.overridden, cause: 'always' }], true],
  ['a person found not billed', [...LOST, { ...states.ruled, ruling: 'not_billed' }], true],
  ['a person had rendered again', [states.created, states.rendered, { ...states.overridden, cause: 'rerun' }], false],
])('the handle of an attempt that %s is kept where its answer is lost', async (_what, later, isKept) => {
  const store = createFolderStore(temporaryFolder());
  const token = randomBytes(32).toString('base64url');
  const claimed = intent({ kind: 'vendor-a/text2video', callbackToken: token });
  const ledger = createLedger(store, 'a');
  await ledger.claim(REF, claimed);
  for (const state of later) await ledger.append(REF, state);
  const told: string[] = [];
  const callbacks = createCallbacks(store, 'a');
  const desk = createCallbackDesk({
    ...{ account: 'a', callbacks, timeScale: 1, log: { info: () => undefined } },
    messenger: {
      callbackCame: async () => false,
      confirmLate: async ({ n }) => void told.push(`late ${n}`),
    },
    onError: (error) => {
      throw error;
    },
  });
  await (await desk.open(token))?.(BODY);
  expect(await callbacks.handles(claimed)).toEqual(isKept ? ['8123'] : []);
  await vi.waitFor(() => expect(told).toEqual(isKept ? ['late 1'] : []));
});
