import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { headersLimitMs } from '../../src/books/waits.js';
import { COMMANDS } from '../../src/cli/commands.js';
import { configSchema } from '../../src/config/check-layer.js';
import { dynamicConfigFlags } from '../../src/engine/server.js';
import { KINDS } from '../../src/kinds/facts.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const compose = read('docker-compose.yml');
const all = (pattern: RegExp): string[] => [...compose.matchAll(pattern)].map(([, found]) => found ?? '');
const services = new Map(
  (compose.split(/^services:\n/m)[1]?.split(/^volumes:\n/m)[0] ?? '')
    .split(/^ {2}(?=[a-z0-9-]+:\n)/m)
    .flatMap((text) => (/^[a-z0-9-]+:\n/.test(text) ? [[text.slice(0, text.indexOf(':')), text] as const] : [])),
);

describe('docker-compose.yml and what it runs', () => {
  it('has Temporal with PostgreSQL and its UI, an S3 store, a worker, and the emulator under a profile', () => {
    expect([...services.keys()]).toEqual([
      'postgresql',
      'database',
      'temporal',
      'namespace',
      'temporal-ui',
      'bucket',
      's3',
      'worker',
      'callbacks',
      'emulator',
      'rehearsal-worker',
    ]);
    expect(services.get('emulator')).toContain('profiles: [rehearsal]');
  });

  it('pins every image and looks after the health of everything that stays', () => {
    for (const image of all(/^ +image: (.+)$/gm))
      expect(image).toMatch(/^callsheet:local$|:v?\d+\.\d+(\.\d+)?(-[a-z]+)?$/);
    for (const [name, text] of services) {
      const isOnce = ['database', 'namespace', 'bucket'].includes(name);
      expect(text.includes('healthcheck:'), name).toBe(!isOnce);
    }
    for (const [, from] of read('Dockerfile').matchAll(/^FROM (\S+)/gm)) expect(from).toMatch(/:\d+\.\d+\.\d+-/);
  });

  it('3-R1: gives a worker the time in which a paid call may still be answered', () => {
    // The longest wait of the default settings: `waits.syncMaxSeconds`.
    const waits = { lambdaMs: 0, thetaMs: 0, rhoMs: 0, syncMaxMs: 900_000, renderMaxMs: {} };
    const longestMs = Math.max(...KINDS.map((kind) => headersLimitMs({ waits, timeScale: 1 }, kind)));
    const minutes = Number(/stop_grace_period: (\d+)m$/m.exec(compose)?.[1]);
    expect(minutes * 60_000).toBeGreaterThan(longestMs + 60_000);
    const seconds = Number(/terminationGracePeriodSeconds: (\d+)/.exec(read('docs/operations.md'))?.[1]);
    expect(seconds).toBe(minutes * 60);
  });

  it('publishes ports on this machine alone', () => {
    for (const port of all(/^ +- (\S+:\d+:\d+)$/gm)) expect(port).toMatch(/^127\.0\.0\.1:/);
  });

  it('runs callsheet as nobody special, with commands that exist and the key as a file', () => {
    expect(compose).toMatch(/user: \$\{CALLSHEET_UID:-1000\}:\$\{CALLSHEET_GID:-1000\}/);
    for (const name of ['worker', 'callbacks', 'emulator', 'rehearsal-worker']) {
      const command = /command: \[([a-z]+)/.exec(services.get(name) ?? '')?.[1];
      expect(COMMANDS.map(({ name }) => name)).toContain(command);
    }
    expect(services.get('worker')).toContain('command: [worker, --api-key-file, /run/secrets/api-key]');
    // Whoever runs a batch there has no key in the environment either.
    const [, line] = /^docker compose exec worker (.+)$/m.exec(read('docs/operations.md')) ?? [];
    expect(line).toMatch(/^node bin\/callsheet\.js run .*--api-key-file \/run\/secrets\/api-key/);
    expect(read('Dockerfile')).toMatch(/^USER node$/m);
    expect(read('Dockerfile')).toContain('npm ci --ignore-scripts');
  });

  it('sets the server as the embedded one is set (design 4)', () => {
    const file = [...read('deploy/dynamicconfig.yaml').matchAll(/^(\S+):\n {2}- value: (.+)$/gm)];
    const plain = (value: string): string => value.replaceAll('"', '');
    const flags = dynamicConfigFlags.filter((flag) => flag !== '--dynamic-config-value').map(plain);
    expect(file.map(([, name, value = '']) => `${name}=${plain(value)}`).sort()).toEqual(flags.sort());
    expect(services.get('temporal')).toContain('DYNAMIC_CONFIG_FILE_PATH: /deploy/dynamicconfig.yaml');
  });

  it('uses the settings file of a worker by hand', () => {
    expect(configSchema.safeParse(JSON.parse(read('deploy/callsheet.config.json'))).success).toBe(true);
    expect(compose).toContain('./deploy/callsheet.config.json:/app/callsheet.config.json:ro');
  });

  it('is what `docker compose` understands, where there is one', () => {
    if (!hasCompose()) {
      console.warn('no `docker compose` here: its own check of docker-compose.yml does not run');
      return;
    }
    execFileSync('docker', ['compose', '--profile', '*', 'config', '--quiet'], { cwd: ROOT });
  });
});

function hasCompose(): boolean {
  try {
    execFileSync('docker', ['compose', 'version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
