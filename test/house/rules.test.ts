import { expect, test } from 'vitest';
import { importCircles } from './circles.js';
import { importViolations } from './layers.js';
import {
  anyViolations,
  defaultExportViolations,
  escapedPathViolations,
  functionViolations,
  lengthViolations,
  ownTimeViolations,
  urlGuessViolations,
  weakMapViolations,
} from './shape.js';
import { sourceOf } from './sources.js';

// The rules of the house catch what they are there for.

const imports = (path: string, text: string) => importViolations([sourceOf(path, text)]);

test.each([
  ['src/domain/money.ts', "import { join } from 'node:path';"],
  ['src/domain/money.ts', "import { z } from 'zod';"],
  ['src/domain/money.ts', "import { port } from '../store/port.js';"],
  ['src/store/outputs.ts', "import { readCsv } from '../manifest/read-csv.js';"],
  ['src/home/rows.ts', "import { pageRows } from '../../activities/rows.js';"],
  ['src/store/folder.ts', "import { openHome } from '../home/home.js';"],
  ['src/books/check/settle.ts', "import { openHome } from '../../home/home.js';"],
  ['src/books/check/settle.ts', "import { join } from 'node:path';"],
  ['src/books/settle.ts', "import { activityInfo } from '@temporalio/activity';"],
  ['src/store/folder.ts', "import { S3Client } from '@aws-sdk/client-s3';"],
  ['src/kinds/vendor-f/wire.ts', "import { request } from 'undici';"],
  ['activities/poll.ts', "import { request } from 'undici';"],
  ['workflows/job.ts', "import { createActivities } from '../activities/index.js';"],
  ['workflows/job.ts', "import { type Activities } from '../activities/index.js';"],
  ['workflows/job.ts', "export { ADAPTERS } from '../src/kinds/index.js';"],
  ['workflows/job.ts', "import { readFileSync } from 'node:fs';"],
  ['emulator/model/money.ts', "import { nano } from '../../src/domain/money.js';"],
  ['emulator/model/billing.ts', "import { ROUTES } from '../families/vendor-a.js';"],
  ['emulator/media/outputs.ts', "import { admit } from '../service/admission.js';"],
  ['src/engine/server.ts', "const cli = await import('../cli/main.js');"],
  ['src/dashboard/page.ts', "import type { Adapter } from '../kinds/adapter.js';"],
  ['src/worker.ts', "import { ensureEngine } from './engine/engine-client.js';"],
  ['src/cli/main.ts', "import { x } from '../../test/support/temporal.js';"],
  ['src/somewhere/new.ts', "import { x } from '../domain/money.js';"],
])('%s may not say %s', (path, text) => {
  expect(imports(path, `\n${text}`)).toEqual([expect.stringContaining(`${path}:2 imports `)]);
});

test.each([
  ['workflows/job.ts', "import type { Activities } from '../activities/index.js';"],
  ['workflows/job.ts', "import { proxyActivities } from '@temporalio/workflow';"],
  ['emulator/model/world.ts', "import type { WireAnswer } from '../http/wire.js';"],
  ['src/store/s3.ts', "import { S3Client } from '@aws-sdk/client-s3';"],
  ['src/service/transport.ts', "import { Client } from 'undici';"],
  ['src/cli/commands/run.ts', "const { ensureEngine } = await import('../../engine/engine-client.js');"],
  ['src/engine/keeper.ts', "import { isAlive } from '#scripts/live-process.mjs';"],
  ['src/worker/main.ts', "import { readRegistration } from '../engine/registration.js';"],
])('%s may say %s', (path, text) => {
  expect(imports(path, text)).toEqual([]);
});

test('the shape of a file', () => {
  const path = 'src/domain/shape.ts';
  const long = (lines: number) => `function f() {\n${'  x();\n'.repeat(lines - 2)}}\n`;
  expect(lengthViolations([sourceOf(path, 'x;\n'.repeat(201))])).toHaveLength(1);
  expect(lengthViolations([sourceOf(path, 'x;\n'.repeat(200))])).toEqual([]);
  expect(functionViolations([sourceOf(path, long(60))])).toEqual([]);
  expect(functionViolations([sourceOf(path, long(61))])).toEqual([expect.stringContaining(`${path}:1 `)]);
  // What is inside counts for itself.
  expect(functionViolations([sourceOf(path, `function g() {\n${long(40)}${long(40)}}\n`)])).toEqual([]);
  expect(anyViolations([sourceOf(path, 'let a: any;')])).toHaveLength(1);
  expect(anyViolations([sourceOf(path, 'let a: unknown; // any')])).toEqual([]);
  for (const text of ['export default 1;', 'export default function f() {}', 'export { a as default };']) {
    expect(defaultExportViolations([sourceOf(path, text)])).toHaveLength(1);
  }
  expect(defaultExportViolations([sourceOf('vitest.config.ts', 'export default 1;')])).toEqual([]);
});

test('memory that is kept beside what is opened is found', () => {
  const text = 'const memories = new WeakMap<Dependencies, Memory>();';
  expect(weakMapViolations([sourceOf('activities/account.ts', text)])).toEqual([
    expect.stringContaining('activities/account.ts:1 '),
  ]);
  expect(weakMapViolations([sourceOf('activities/account.ts', '// no WeakMap here\nconst a = new Map();')])).toEqual(
    [],
  );
});

test('a guess whether a text is a URL is found', () => {
  const text = "const isUrl = URL.canParse('https://a.example');";
  expect(urlGuessViolations([sourceOf('src/domain/a.ts', text)])).toEqual(['src/domain/a.ts:1 use parseUrl']);
});

test('a path with escaped spaces is found', () => {
  const text = "const path = new URL('a.csv', import.meta.url).pathname;";
  expect(escapedPathViolations([sourceOf('test/a.test.ts', text)])).toHaveLength(1);
});

test.each(['Date.now()', 'new Date()', 'performance.now()', 'Math.random()', 'setTimeout(() => 1, 5)', 'randomUUID()'])(
  "the emulator's model may not say %s",
  (text) => {
    expect(ownTimeViolations([sourceOf('emulator/model/a.ts', `const a = ${text};`)])).toHaveLength(1);
    expect(ownTimeViolations([sourceOf('emulator/http/a.ts', `const a = ${text};`)])).toEqual([]);
  },
);

test('an instant that is given may be a Date', () => {
  expect(ownTimeViolations([sourceOf('emulator/model/a.ts', 'const a = new Date(5);')])).toEqual([]);
});

test('a circle of imports is found, also through others and of types alone', () => {
  const of = (path: string, to: string) => sourceOf(path, `import type { x } from './${to}.js';`);
  const open = [of('src/store/a.ts', 'b'), of('src/store/b.ts', 'c')];
  expect(importCircles(open)).toEqual([]);
  expect(importCircles([...open, of('src/store/c.ts', 'a')])).toEqual([
    'src/store/a.ts -> src/store/b.ts -> src/store/c.ts -> src/store/a.ts',
  ]);
});
