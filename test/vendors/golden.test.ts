/**
 * Every row of the examples against the request that the service documents ask for. The bodies in `golden/` were
 * written and read from the documents, field by field: where code and golden differ, look into the document.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../../src/domain/json.js';
import type { Row } from '../../src/domain/row.js';
import type { SubmitOptions } from '../../src/kinds/adapter.js';
import { KINDS } from '../../src/kinds/facts.js';
import { adapterFor } from '../../src/kinds/index.js';
import { checkFile } from '../manifest/support.js';
import { keptMedia } from '../support/resolved-media.js';

interface Golden extends Partial<SubmitOptions> {
  /** The id of a row of `examples/every-kind.csv`. */
  row: string;
  path: string;
  /** `{data uri}` and `{raw base64}` stand for the picture that the manifest carries. */
  body: Json;
}

interface Family {
  /** What of the document these bodies show. */
  rule: string;
  source: string;
  requests: Golden[];
}

const folder = new URL('golden/', import.meta.url);
const manifest = fileURLToPath(new URL('../../examples/every-kind.csv', import.meta.url));
const families = readdirSync(folder).map((name): [string, Family] => [
  name.replace('.json', ''),
  JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as Family,
]);
const picture = /data:image\/png;base64,([A-Za-z0-9+/=]+)/.exec(readFileSync(manifest, 'utf8')) ?? [];

const media = keptMedia();
let rows: ReadonlyMap<string, Row>;

beforeAll(async () => {
  const { passed, printed } = await checkFile(manifest, { keepBlob: media.keepBlob });
  expect(printed).toEqual([]);
  rows = new Map(passed.map((row) => [row.id, row]));
});

describe.each(families)('golden requests: %s', (_name, { rule, source, requests }) => {
  it(`says which rule it shows (${source})`, () => {
    expect([rule, source]).toEqual([expect.stringMatching(/^.{40,}\.$/), expect.stringMatching(/^service document/)]);
  });

  it.each(requests)('$row $path', ({ row: id, path, body, ...options }) => {
    const row = rows.get(id);
    if (row === undefined) throw new Error(`examples/every-kind.csv has no row '${id}'`);
    const request = adapterFor(row.kind).submitRequest(row, media.resolve(row), { responseFormat: 'url', ...options });
    expect(request.path).toBe(path);
    // Byte for byte what is sent, so that a number is no string and nothing else goes along.
    expect(JSON.parse(JSON.stringify(request.body))).toStrictEqual(filledIn(body));
  });
});

it('has every row of the examples, and with them every kind', () => {
  const goldens = families.flatMap(([, { requests }]) => requests);
  expect(goldens.length).toBeGreaterThanOrEqual(60);
  expect([...new Set(goldens.map(({ row }) => row))].sort()).toEqual([...rows.keys()].sort());
  expect(new Set([...rows.values()].map(({ kind }) => kind))).toEqual(new Set(KINDS));
  const answers = goldens.map(({ responseFormat, aliasPaths }) => responseFormat ?? (aliasPaths ? 'alias' : 'url'));
  expect(new Set(answers)).toEqual(new Set(['url', 'b64_json', 'alias']));
});

function filledIn(body: Json): Json {
  const [uri = '', raw = ''] = picture;
  const text = JSON.stringify(body).replaceAll('{data uri}', uri).replaceAll('{raw base64}', raw);
  return JSON.parse(text) as Json;
}
