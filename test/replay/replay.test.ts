import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from '@temporalio/worker';
import { describe, expect, it } from 'vitest';
import { RECORDED, recordedHistory } from '../support/record-histories.js';

const BUNDLE = fileURLToPath(new URL('../../dist/workflow-bundle.js', import.meta.url));
const NAMES = readdirSync(RECORDED).sort();

describe('recorded histories replay with the workflows of today (I16, F55)', () => {
  it('has some of every long-lived workflow', () => {
    for (const type of ['batch', 'semaphore', 'job']) expect(NAMES.some((name) => name.startsWith(type))).toBe(true);
  });

  it.each(NAMES)('%s', async (name) => {
    await Worker.runReplayHistory({ workflowBundle: { codePath: BUNDLE } }, recordedHistory(name));
  });
});
