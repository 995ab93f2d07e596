import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { compareVersions, findTemporalCli, temporalCacheFolder } from '../../scripts/lib/temporal-cli.mjs';
import { ensureTemporalCli } from '../../scripts/lib/temporal-install.mjs';

/** A machine of the test: nothing of this one on PATH but what the scripts call, and an empty cache. */
function machine() {
  const folder = mkdtempSync(join(tmpdir(), 'callsheet cli '));
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  for (const tool of ['chmod', 'sleep']) symlinkSync(`/bin/${tool}`, join(bin, tool));
  const env: NodeJS.ProcessEnv = { PATH: bin, XDG_CACHE_HOME: join(folder, 'cache') };
  return { folder, bin, env };
}

function program(path: string, script: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

const temporal = (path: string, server: string) =>
  program(path, `echo "temporal version 0.0.0-DEV (Server ${server}, UI 2.42.1)"`);

/** Downloaders of the test. */
function downloader(folder: string, code: string): string {
  const path = join(folder, 'download.mjs');
  writeFileSync(path, code);
  return path;
}

const noNetwork = 'console.error("dns error"); process.exit(1);';
const silent = () => undefined;

describe('finding the program', () => {
  test('takes the named one, then PATH, then the cache', () => {
    const { folder, bin, env } = machine();
    expect(findTemporalCli(env)).toEqual({ rejected: [] });
    const cached = temporal(join(temporalCacheFolder(env), 'temporal'), '1.29.1');
    expect(findTemporalCli(env)).toEqual({ path: cached, source: 'cache', serverVersion: '1.29.1' });
    const onPath = temporal(join(bin, 'temporal'), '1.30.4');
    expect(findTemporalCli(env)).toEqual({ path: onPath, source: 'PATH', serverVersion: '1.30.4' });
    const named = temporal(join(folder, 'mine'), '1.31.0');
    expect(findTemporalCli({ ...env, CALLSHEET_TEMPORAL_CLI: named })).toMatchObject({ path: named });
  });

  test('judges by the server version', () => {
    const { bin, env } = machine();
    const old = temporal(join(bin, 'temporal'), '1.28.9');
    expect(findTemporalCli(env)).toEqual({ rejected: [`PATH: ${old} has server 1.28.9, older than 1.29.1`] });
    program(old, 'echo "temporal version 1.9.0"');
    expect(findTemporalCli(env)).toEqual({ rejected: [`PATH: ${old} does not say its server version`] });
    expect(compareVersions('1.29.10', '1.29.9')).toBeGreaterThan(0);
  });

  test('takes nothing in place of a named one', async () => {
    const { bin, env } = machine();
    temporal(join(bin, 'temporal'), '1.30.4');
    const named = { ...env, CALLSHEET_TEMPORAL_CLI: '/nowhere/temporal' };
    expect(findTemporalCli(named)).toEqual({
      rejected: ['CALLSHEET_TEMPORAL_CLI: /nowhere/temporal is not a program'],
    });
    await expect(ensureTemporalCli(named, silent)).rejects.toThrow('correct the variable or unset it');
  });
});

describe('getting the program', () => {
  /** Builds nothing: puts a program where `go install` would. */
  const fakeGo = (bin: string) =>
    program(
      join(bin, 'go'),
      `if [ "$1" = env ]; then echo go1.26.0; exit; fi
       echo "$@" >> "$0.calls"; sleep 0.3
       printf '#!/bin/sh\\necho "(Server 1.29.1)"\\n' > "$GOBIN/temporal"; chmod +x "$GOBIN/temporal"`,
    );

  test('no program that is looked at, downloads or builds is given a key', async () => {
    const { folder, bin, env } = machine();
    const told = join(folder, 'told');
    const tell = `echo "$CALLSHEET_API_KEY$CALLSHEET_NOTIFY_SECRET" >> "${told}"`;
    program(join(bin, 'temporal'), `${tell}; echo "(Server 1.2.3)"`);
    program(
      join(bin, 'go'),
      `${tell}; if [ "$1" = env ]; then echo go1.26.0; exit; fi
       printf '#!/bin/sh\\necho "(Server 1.29.1)"\\n' > "$GOBIN/temporal"; chmod +x "$GOBIN/temporal"`,
    );
    const get = downloader(
      folder,
      `import { appendFileSync } from 'node:fs';
       appendFileSync('${told}', (process.env.CALLSHEET_API_KEY ?? '') + '\\n'); process.exit(1);`,
    );
    const secrets = { CALLSHEET_API_KEY: 'sk-svc-secret', CALLSHEET_NOTIFY_SECRET: 'signs webhooks' };
    for (const [name, value] of Object.entries(secrets)) vi.stubEnv(name, value);
    onTestFinished(() => void vi.unstubAllEnvs());
    await ensureTemporalCli({ ...env, ...secrets }, silent, get);
    expect(readFileSync(told, 'utf8')).toMatch(/^\n{4,}$/);
  });

  test('downloads it into the cache', async () => {
    const { folder, env } = machine();
    const get = downloader(
      folder,
      `import { writeFileSync } from 'node:fs';
       writeFileSync(process.argv[2] + '/temporal-' + process.argv[3], '#!/bin/sh\\necho "(Server 1.29.1)"\\n', { mode: 0o755 });`,
    );
    const found = await ensureTemporalCli(env, silent, get);
    expect(found).toEqual({
      path: join(temporalCacheFolder(env), 'temporal'),
      source: 'cache',
      serverVersion: '1.29.1',
    });
    expect(findTemporalCli(env)).toEqual(found);
  });

  test('builds it with Go where nothing can be downloaded, once for two set-ups at once', async () => {
    const { folder, bin, env } = machine();
    const go = fakeGo(bin);
    const get = downloader(folder, noNetwork);
    mkdirSync(`${temporalCacheFolder(env)}.part-killed`, { recursive: true });
    const lines: string[] = [];
    const both = [1, 2].map(() => ensureTemporalCli(env, (line) => lines.push(line), get));
    const [first, second] = await Promise.all(both);
    expect(first?.path).toBe(second?.path);
    expect(existsSync(first?.path ?? '')).toBe(true);
    expect(readFileSync(`${go}.calls`, 'utf8')).toBe('install github.com/temporalio/cli/cmd/temporal@v1.5.1\n');
    expect(lines).toContain('building the Temporal server with Go: about 3 minutes, once for this user');
    expect(readdirSync(dirname(temporalCacheFolder(env)))).not.toContainEqual(expect.stringContaining('.part-'));
  });

  test('names all four remedies when nothing helps', async () => {
    const { folder, bin, env } = machine();
    program(join(bin, 'go'), 'echo go1.24.9');
    const failure = ensureTemporalCli(env, silent, downloader(folder, noNetwork));
    await expect(failure).rejects.toThrow(/CALLSHEET_TEMPORAL_CLI.*PATH.*network.*install Go/s);
    await expect(failure).rejects.toThrow('Go 1.24.9 is older than 1.25.0');
    await expect(failure).rejects.toThrow('dns error');
  });

  test('does not keep a program with an old server', async () => {
    const { folder, bin, env } = machine();
    program(join(bin, 'go'), 'if [ "$1" = env ]; then echo go1.26.0; exit; fi; echo no proxy >&2; exit 1');
    const get = downloader(
      folder,
      `import { writeFileSync } from 'node:fs';
       writeFileSync(process.argv[2] + '/temporal', '#!/bin/sh\\necho "(Server 1.20.0)"\\n', { mode: 0o755 });`,
    );
    await expect(ensureTemporalCli(env, silent, get)).rejects.toThrow('what came has server 1.20.0');
    expect(findTemporalCli(env)).toEqual({ rejected: [] });
  });
});
