import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from '@temporalio/worker';
import { describe, expect, it } from 'vitest';
import { RECORDED, recordedHistory } from '../support/record-histories.js';

const BUNDLES = ['workflow-bundle.js', 'workflow-bundle-encrypting.js'];
const NAMES = readdirSync(RECORDED).sort();

describe('recorded histories replay with the workflows of today (I16, F55)', () => {
  it('has some of every long-lived workflow', () => {
    for (const type of ['batch', 'semaphore', 'job']) expect(NAMES.some((name) => name.startsWith(type))).toBe(true);
  });

  it.each(BUNDLES.flatMap((bundle) => NAMES.map((name) => [name, bundle] as const)))(
    '%s by %s',
    async (name, bundle) => {
      const codePath = fileURLToPath(new URL(`../../dist/${bundle}`, import.meta.url));
      await Worker.runReplayHistory({ workflowBundle: { codePath } }, recordedHistory(name));
    },
  );
});
