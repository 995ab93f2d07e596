// The set-up as a whole, in a small checkout of its own with a blank in its name and an npm that copies nothing.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { root } from '../house/sources.js';

const checkout = join(mkdtempSync(join(tmpdir(), 'callsheet-setup-')), 'a checkout');
const bin = join(checkout, '..', 'bin');
const npmCalls = join(bin, 'npm.calls');

beforeAll(() => {
  for (const file of ['scripts', 'bin', 'package.json', 'tsconfig.json']) {
    cpSync(join(root, file), join(checkout, file), { recursive: true });
  }
  write('package-lock.json', JSON.stringify({ packages: { '': {}, 'node_modules/typescript': { version: '6.0.3' } } }));
  write('src/domain/word.ts', "export const word: string = 'first';\n");
  write('src/cli/main.ts', "import { word } from '../domain/word.js';\n\nprocess.stdout.write(word + '\\n');\n");
  write('src/worker/main.ts', 'export {};\n');
  write('src/contract/failure-converter.ts', 'export const failureConverter = {};\n');
  write('workflows/index.ts', 'export async function idle(): Promise<void> {}\n');
  write('emulator/media/fixtures/clip.txt', 'a clip');
  write('src/dashboard/page/index.html', '<!doctype html><title>page</title>');
  mkdirSync(bin);
  program('temporal', 'echo "temporal version 0.0.0-DEV (Server 1.29.1, UI 2.42.1)"');
  program('npm', `echo "$@" >> '${npmCalls}'; exec '${process.execPath}' '${join(bin, 'install.mjs')}'`);
  // What npm would install is linked: the real packages, and npm's own note of them.
  writeFileSync(
    join(bin, 'install.mjs'),
    `import { copyFileSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
     const from = ${JSON.stringify(join(root, 'node_modules'))};
     rmSync('node_modules', { recursive: true, force: true });
     mkdirSync('node_modules');
     for (const name of readdirSync(from)) if (!name.startsWith('.')) symlinkSync(from + '/' + name, 'node_modules/' + name);
     copyFileSync('package-lock.json', 'node_modules/.package-lock.json');`,
  );
});

function write(path: string, text: string): void {
  const full = join(checkout, path);
  mkdirSync(join(full, '..'), { recursive: true });
  writeFileSync(full, text);
}

function program(name: string, script: string): void {
  writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(bin, name), 0o755);
}

function run(script: string): { status: number | null; stderr: string; stdout: string } {
  const { npm_execpath: _, CALLSHEET_TEMPORAL_CLI: __, ...rest } = process.env;
  const env = { ...rest, PATH: `${bin}${delimiter}${process.env.PATH}`, XDG_CACHE_HOME: join(checkout, '..', 'cache') };
  return spawnSync(process.execPath, [script], { cwd: checkout, env, encoding: 'utf8' });
}

const setUp = () => run('scripts/setup.mjs');
const installs = () => readFileSync(npmCalls, 'utf8').trim().split('\n').length;
const buildId = () => readFileSync(join(checkout, 'dist', 'build-id'), 'utf8');

describe('the set-up of a checkout', () => {
  test('is asked for by the program while there is no build', () => {
    const { status, stderr } = run('bin/callsheet.js');
    expect([status, stderr]).toEqual([
      2,
      'callsheet is not built yet: run `npm run setup` in its folder, then the same command again.\n',
    ]);
  });

  test('installs, builds, and finds the Temporal program', () => {
    const { status, stderr } = setUp();
    expect(stderr.split('\n')).toEqual([
      'installing the dependencies with npm ci: about 500 MB on disk',
      'building callsheet',
      `callsheet is ready: Node ${process.versions.node}, Temporal server 1.29.1 (PATH)`,
      '',
    ]);
    expect(status).toBe(0);
    expect(readdirSync(join(checkout, 'dist')).sort()).toEqual(
      [
        '.built-from',
        'build-id',
        'cli',
        'emulator',
        'page',
        'src',
        'workflow-bundle-encrypting.js',
        'workflow-bundle.js',
        'workflows',
      ].sort(),
    );
    expect(existsSync(join(checkout, 'dist/emulator/media/fixtures/clip.txt'))).toBe(true);
    expect(run('bin/callsheet.js').stdout).toBe('first\n');
  }, 180_000);

  test('says one line when all is there, and neither installs nor builds', () => {
    const before = buildId();
    expect(setUp().stderr).toMatch(/^callsheet is ready: .*\n$/);
    expect([installs(), buildId()]).toEqual([1, before]);
  });

  test('a folder that is removed while the shell stands in it is told in one sentence, exit 4', () => {
    const gone = mkdtempSync(join(tmpdir(), 'callsheet-gone-'));
    const script = 'cd "$1" && rmdir "$1" && exec "$2" "$3" list';
    const { status, stdout, stderr } = spawnSync(
      'sh',
      ['-c', script, 'sh', gone, process.execPath, join(checkout, 'bin/callsheet.js')],
      { encoding: 'utf8' },
    );
    expect([status, stdout]).toEqual([4, '']);
    expect(stderr).toBe(
      'the working folder is gone or cannot be entered: change to another, then the same command again.\n',
    );
  });

  test('builds again when a source changed, and drops what has no source any more', () => {
    const before = buildId();
    write('src/domain/word.ts', "export const word: string = 'second';\n");
    write('src/domain/gone.ts', 'export const gone = 1;\n');
    expect(setUp().stderr).toMatch(/^building callsheet\n/);
    expect(existsSync(join(checkout, 'dist/src/domain/gone.js'))).toBe(true);
    rmSync(join(checkout, 'src/domain/gone.ts'));
    expect(setUp().status).toBe(0);
    expect(existsSync(join(checkout, 'dist/src/domain/gone.js'))).toBe(false);
    expect(run('bin/callsheet.js').stdout).toBe('second\n');
    expect(buildId()).not.toBe(before);
  }, 180_000);

  test('installs again when the lockfile changed', () => {
    write(
      'package-lock.json',
      JSON.stringify({ packages: { '': {}, 'node_modules/typescript': { version: '6.0.4' } } }),
    );
    expect(setUp().stderr).toMatch(/^installing the dependencies/);
    expect(installs()).toBe(2);
  }, 180_000);

  test('keeps the last good build when a source is wrong, and says where', () => {
    const before = buildId();
    write('src/domain/word.ts', 'export const word: string = 3;\n');
    const { status, stderr } = setUp();
    expect(status).toBe(1);
    expect(stderr).toContain('the sources do not compile');
    expect(stderr).toContain('src/domain/word.ts(1,14): error TS2322');
    expect(buildId()).toBe(before);
    expect(run('bin/callsheet.js').stdout).toBe('second\n');
    write('src/domain/word.ts', "export const word: string = 'second';\n");
  }, 180_000);

  test('says in one sentence what to do when npm fails', () => {
    rmSync(join(checkout, 'node_modules'), { recursive: true });
    program('npm', 'echo "npm error network" >&2; exit 1');
    const { status, stderr } = setUp();
    expect(status).toBe(1);
    expect(stderr).toContain('npm error network');
    expect(stderr.trim().split('\n').at(-1)).toBe(
      "npm could not install the dependencies: check the network and npm's registry setting, then run `npm run setup`",
    );
  });
});
