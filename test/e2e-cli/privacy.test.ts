import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type StoredHistory, storedHistories } from '../support/histories.js';
import { hasTemporal } from '../support/temporal.js';
import { filesBelow, results } from './support/evidence.js';
import { engineOf } from './support/killing.js';
import { avatar, csv, film, image } from './support/manifest.js';
import { type Rig, startRig } from './support/rig.js';

/** Found nowhere by chance. */
const SECRET = 'sk-svc-9fVq7Yt2RmXc4LwZ81bKdHs6';
const PROMPT = 'a violet lighthouse that nobody else asks for';
const SAID = 'the moderator says cobalt pelican';

const ROWS = [
  ...['i1', 'i2', 'i3'].map((id) => image(id, { prompt: `${PROMPT}, row ${id}.` })),
  ...['a1', 'a2'].map((id) => avatar(id, { script: `${PROMPT}, row ${id}.` })),
  ...['f1', 'f2', 'lost', 'failing'].map((id) => film(id, { prompt: `${PROMPT}, row ${id}.` })),
];
const TROUBLED = ['lost', 'failing', 'i2'];

describe.skipIf(!hasTemporal())('what is kept and shown of keys, prompts and URLs', () => {
  let rig: Rig;
  let histories: StoredHistory[];

  beforeAll(async () => {
    rig = await startRig({
      speed: 200,
      key: SECRET,
      emulator: {
        faults: [
          {
            match: { route: 'vendor-f.submit', bodyContains: 'row lost.' },
            action: { do: 'reset-before-answer', created: true },
          },
          {
            match: { route: 'vendor-f.submit', bodyContains: 'row failing.' },
            action: { do: 'end-job', as: 'failed', message: SAID },
          },
          {
            match: { route: 'svc.image', bodyContains: 'row i2.', nth: 1 },
            action: { do: 'refuse', code: 'rpm_limit_exceeded' },
          },
          { match: { route: 'vendor-f.poll', nth: 2 }, action: { do: 'refuse', code: 'bad_gateway' } },
        ],
      },
    });
    await rig.write('private.csv', csv(ROWS));
    const ended = await rig.run(['run', 'private.csv', '--yes', '--verbose']);
    expect(ended.code, ended.stderr).toBe(3);
    const { address } = await engineOf(rig);
    const connection = await Connection.connect({ address: address ?? '' });
    histories = await storedHistories(new Client({ connection }));
    await connection.close();
    for (const args of [
      ['status', 'private', '--json'],
      ['list', '--verbose'],
      ['config', 'show', '--origin'],
      ['credits', '--json'],
      ['plan', 'private.csv', '--json'],
      ['watch', 'private', '--json'],
      ['engine', 'status'],
      ['doctor'],
    ]) {
      await rig.run(args);
    }
    await rig.run(['run', 'private.csv', '--yes'], { env: { CALLSHEET_API_KEY: `${SECRET}"` } });
    await rig.run(['engine', 'stop']);
  });
  afterAll(() => rig?.stop());

  it('meets the trouble that the batch was made for', () => {
    const statuses = Object.fromEntries(results(rig, 'private').map(({ id, status }) => [id, status]));
    expect(statuses).toMatchObject({ i1: 'done', a2: 'done', f2: 'done', lost: 'lost_paid', failing: 'failed' });
  });

  it("has the API key's bytes in no file of the data folder and the output folder (I15)", () => {
    const files = [...filesBelow(rig.data), ...filesBelow(rig.out)];
    expect(files.map((file) => basename(file))).toContain('temporal.db');
    expect(files.some((file) => file.endsWith('.log'))).toBe(true);
    expect(files.filter((file) => readFileSync(file).includes(SECRET))).toEqual([]);
  });

  it('prints the API key in no command (I15)', () => {
    expect(rig.printed()).toContain('lost_paid');
    expect(rig.printed()).not.toContain(SECRET);
  });

  it('has no prompt, URL or service message in a history, and no payload of 4 KB (I17)', () => {
    expect(histories.map(({ type }) => type).sort()).toContain('job');
    const holding = (part: string): string[] =>
      histories.filter(({ text }) => text.includes(part)).map(({ workflowId }) => `${workflowId} holds ${part}`);
    for (const part of [SECRET, 'violet lighthouse', 'cobalt pelican', 'http://', 'https://', '/media/']) {
      expect(holding(part)).toEqual([]);
    }
    const large = histories.filter(({ largestPayload }) => largestPayload >= 4_096);
    expect(large.map(({ workflowId, largestPayload }) => `${workflowId} ${largestPayload}`)).toEqual([]);
  });

  it('has no prompt in any file of the Temporal server', () => {
    const files = filesBelow(rig.data).filter((file) => basename(file).startsWith('temporal.db'));
    expect(files).not.toEqual([]);
    expect(files.filter((file) => readFileSync(file).includes('violet lighthouse'))).toEqual([]);
  });

  it('needs fewer than 45 events for a row without trouble', () => {
    const jobs = histories.filter(({ type }) => type === 'job');
    const calm = ROWS.map(({ id }) => id).filter((id) => !TROUBLED.includes(id));
    for (const id of calm) {
      const mine = jobs.filter(({ workflowId }) => workflowId.endsWith(`/job/private/${id}`));
      expect(mine.length, `${id} among ${jobs.map(({ workflowId }) => workflowId).join(' ')}`).toBeGreaterThan(0);
      for (const { events } of mine) expect(events, id).toBeLessThan(45);
    }
  });
});
