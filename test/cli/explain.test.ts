import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { allExplanations, errorsMarkdown, explanationsOf } from '../../src/cli/explain/explanations.js';
import { REASONS } from '../../src/domain/failure.js';
import { sourcesIn } from '../house/sources.js';
import { cli } from './harness.js';

/** The code columns of the documents' error tables, and the statuses that they list without a code. */
const OF_THE_DOCUMENTS = [
  ...['400', 'engine_error', 'invalid_request', 'unsupported_response_format', 'missing_api_key'],
  ...['invalid_key_format', 'invalid_api_key', 'key_revoked', 'key_expired', 'insufficient_credits'],
  ...['model_not_available', 'request_too_large', 'rpm_limit_exceeded', 'concurrent_limit_exceeded'],
  ...['500', '502', 'output_too_large', '503', '504', 'engine_timeout', 'unsupported_resolution'],
  ...['invalid_parameter', '409', '404', '1201', 'vendor-f_unreachable', 'pass-through'],
];

describe('every code is explained', () => {
  test('every reason of a row', () => {
    for (const code of Object.keys(REASONS))
      expect([code, explanationsOf(code).length]).toEqual([code, expect.anything()]);
    expect(Object.keys(REASONS).filter((code) => !explanationsOf(code).some((one) => one.kind === 'reason'))).toEqual(
      [],
    );
  });

  test('every problem code that the sources print', () => {
    const printed = sourcesIn('src', 'workflows', 'activities').flatMap(({ text }) =>
      [...text.matchAll(/(?<![\w/])B\d{1,2}\b/g)].map(([code]) => code),
    );
    expect(new Set(printed).size).toBeGreaterThan(50);
    expect([...new Set(printed)].filter((code) => explanationsOf(code).length === 0)).toEqual([]);
  });

  test('every error of the service documents', () => {
    const known = new Set(
      allExplanations()
        .filter((one) => one.kind === 'service')
        .map((one) => one.code),
    );
    expect(OF_THE_DOCUMENTS.filter((code) => !known.has(code))).toEqual([]);
  });

  test('each with a meaning, what happens next, and what to do', () => {
    const empty = allExplanations().filter(
      ({ meaning, retried, billed, advice }) => !meaning || !retried || !billed || !advice,
    );
    expect(empty).toEqual([]);
  });

  test('docs/errors.md is in step: `callsheet explain --markdown > docs/errors.md`', () => {
    expect(existsSync('docs/errors.md')).toBe(true);
    expect(readFileSync('docs/errors.md', 'utf8')).toBe(errorsMarkdown());
  });
});

test('a 504 may mean that the source of an edit was not fetched in time (service document 1, Errors)', () => {
  for (const { about, advice } of ['504', 'engine_timeout'].flatMap(explanationsOf)) {
    expect(about).toContain('HTTP 504');
    expect(advice).toMatch(/svc\/edit.*faster URL/);
  }
});

describe('callsheet explain', () => {
  test('one code, in whatever case', async () => {
    const { exitCode, stdout } = await cli(['explain', 'b48']);
    expect([exitCode, stdout.split('\n')[0]]).toEqual([0, 'B48  (settings, places and plans)']);
    expect((await cli(['explain', 'invalid_request', '--json'])).stdout).toContain('"kind":"service"');
  });

  test('a status has the errors of that status, and `review show` names rules', async () => {
    expect((await cli(['explain', '401'])).stdout).toContain('invalid_api_key');
    expect((await cli(['explain', 't11'])).stdout).toContain('The connection failed');
    const named = sourcesIn('src', 'workflows', 'activities').flatMap(({ text }) =>
      [...text.matchAll(/rule: '([TS][A-Z0-9]+)'/g)].map(([, rule]) => rule),
    );
    expect(named.filter((rule) => explanationsOf(rule ?? '').length === 0)).toEqual([]);
  });

  test('an unknown code: exit 2 with the nearest', async () => {
    expect(await cli(['explain', 'render_fail'])).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: "error: unknown code 'render_fail'; did you mean 'render_failed'?\n",
    });
  });

  test('all of them', async () => {
    const { stdout } = await cli(['explain']);
    expect(stdout.trim().split('\n')).toHaveLength(allExplanations().length);
    expect((await cli(['explain', '--markdown'])).stdout).toBe(errorsMarkdown());
  });

  test('with --json nothing but JSON: --markdown excludes it', async () => {
    const { exitCode, stdout, stderr } = await cli(['explain', '--json', '--markdown']);
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringContaining("'--markdown' cannot be used with option '--json'"),
    ]);
    expect(JSON.parse(stdout)).toMatchObject({ schema: 1, type: 'error', exitCode: 2 });
  });
});
