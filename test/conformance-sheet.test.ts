// docs/conformance.md says which file honours each sentence of the service documents, and which test proves it.
import { existsSync, readFileSync } from 'node:fs';
import { request } from 'undici';
import { describe, expect, it } from 'vitest';
import { startEmulator } from '../emulator/emulator.js';
import { KINDS } from '../src/kinds/facts.js';
import { conformanceRows, isWholeTitle } from './support/conformance-rows.js';

const sheet = readFileSync('docs/conformance.md', 'utf8');
const lines = conformanceRows(sheet);

describe('the conformance sheet is in step', () => {
  it('numbers its lines without a gap, each with a rule of its own', () => {
    expect(lines.map(({ number }) => number)).toEqual(lines.map((_, at) => at + 1));
    expect(lines.length).toBe(sheet.split('\n').filter((text) => /^\| \d+ \|/.test(text)).length);
    expect(lines.length).toBeGreaterThanOrEqual(200);
  });

  it('names files that exist', () => {
    expect(lines.filter(({ where }) => !existsSync(where)).map(({ number, where }) => `${number} ${where}`)).toEqual(
      [],
    );
  });

  it('names tests by their whole titles', () => {
    const missing = lines.flatMap(({ number, proofs }) =>
      proofs
        .filter((proof) => !existsSync(proof.file) || !isWholeTitle(proof))
        .map(({ file, title }) => `${number} ${file} › ${title}`),
    );
    expect(missing).toEqual([]);
  });

  it('has every endpoint of the service', async () => {
    const emulator = await startEmulator();
    try {
      const answer = await request(`${emulator.url}/openapi.json`);
      const { paths } = (await answer.body.json()) as { paths: Record<string, unknown> };
      const bare = (text: string): string => text.replaceAll(/\{\w+\}/g, '{}');
      const known = Object.keys(paths).filter((path) => path.startsWith('/v1/'));
      expect(known.length).toBeGreaterThan(20);
      expect(known.filter((path) => !bare(sheet).includes(`${bare(path)}\``))).toEqual([]);
    } finally {
      await emulator.close();
    }
  });

  it('has every error code that the documents name', () => {
    const codes = [
      ...['engine_error', 'invalid_request', 'unsupported_response_format', 'missing_api_key', 'invalid_key_format'],
      ...['invalid_api_key', 'key_revoked', 'key_expired', 'insufficient_credits', 'model_not_available'],
      ...['request_too_large', 'rpm_limit_exceeded', 'concurrent_limit_exceeded', 'output_too_large', 'engine_timeout'],
      ...['unsupported_resolution', 'invalid_parameter', '1201', 'vendor-f_unreachable'],
    ];
    expect(codes.filter((code) => !sheet.includes(code))).toEqual([]);
  });

  it('has the rules of every kind', () => {
    const used = new Set(lines.map(({ where }) => where));
    const files = Object.values(RULE_FILES).map((file) => `src/kinds/${file}-columns.ts`.replace('/-', '/'));
    expect(Object.keys(RULE_FILES).sort()).toEqual([...KINDS].sort());
    expect(files.filter((file) => !used.has(file))).toEqual([]);
  });
});

/** Where the columns of each kind are checked, below src/kinds. */
const RULE_FILES: Readonly<Record<string, string>> = {
  'svc/image': 'svc/image',
  'svc/edit': 'svc/edit',
  'svc/clip': 'svc/clip',
  'svc/animation': 'svc/clip',
  'vendor-a/text2video': 'vendor-a/',
  'vendor-a/image2video': 'vendor-a/',
  'vendor-a/omni-video': 'vendor-a/omni',
  'vendor-a/motion-control': 'vendor-a/motion',
  'vendor-b/avatar': 'vendor-b/',
  'vendor-c/video': 'vendor-c-and-g/c',
  'vendor-g/video': 'vendor-c-and-g/g',
  'vendor-d/video': 'vendor-d/',
  'vendor-e/video': 'vendor-e/',
  'vendor-f/video': 'vendor-f/',
  'vendor-f/interaction': 'vendor-f/',
};
