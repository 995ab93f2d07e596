// The example manifest, a row for every kind, model, mode and tier, through the command line to its files.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasTemporal } from '../support/temporal.js';
import { fileHash, jsonLines, results } from './support/evidence.js';
import { type Rig, startRig } from './support/rig.js';

const MANIFEST = fileURLToPath(new URL('../../examples/every-kind.csv', import.meta.url));
const GOLDEN = new URL('../vendors/golden/', import.meta.url);

interface Golden {
  row: string;
  path: string;
  body: object;
  responseFormat?: string;
  aliasPaths?: boolean;
}

describe.skipIf(!hasTemporal())('examples/every-kind.csv on the emulator', () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig({ speed: 400, emulator: { plan: 'enterprise' } });
  });
  afterAll(() => rig?.stop());

  it('every row is done, each with a file that is what the service served (I6, I7)', async () => {
    const ended = await rig.run(['run', MANIFEST, '--yes']);
    expect(ended.code, ended.stderr).toBe(0);
    const rows = results(rig, 'every-kind');
    expect(rows.length).toBeGreaterThanOrEqual(60);
    expect(rows.filter(({ status }) => status !== 'done')).toEqual([]);
    const served = new Set(rig.emulator.truth().jobs.flatMap(({ outputs }) => outputs.map(({ sha256 }) => sha256)));
    for (const { id, file, sha256 } of rows) {
      expect(fileHash(rig, 'every-kind', file ?? ''), id).toBe(sha256);
      if (id !== 'interaction') expect(served, id).toContain(sha256);
    }
    expect(rig.emulator.truth().violations).toEqual([]);
  });

  it('the service was sent exactly the golden bodies, once each', () => {
    const picture = /data:image\/png;base64,([A-Za-z0-9+/=]+)/.exec(readFileSync(MANIFEST, 'utf8')) ?? [];
    const [uri = '', raw = ''] = picture;
    const golden = readdirSync(GOLDEN).flatMap((name) => {
      const text = readFileSync(new URL(name, GOLDEN), 'utf8')
        .replaceAll('{data uri}', uri)
        .replaceAll('{raw base64}', raw);
      return (JSON.parse(text) as { requests: Golden[] }).requests;
    });
    const expected = golden.filter(({ responseFormat, aliasPaths }) => responseFormat === undefined && !aliasPaths);
    const bodies = rig.emulator.truth().jobs.map(({ body }) => canonical(body));
    expect(bodies.sort()).toEqual(expected.map(({ body }) => canonical(body)).sort());
    expect(jsonLines(readFileSync(`${rig.out}/every-kind/results.jsonl`, 'utf8'))).toHaveLength(expected.length);
  });
});

/** The same text for the same values, whatever the order of the fields. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_name, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
