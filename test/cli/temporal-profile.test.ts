// The SDK's own profile file names a Temporal: `config show` says so, since every command is a client of it then.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { cli, workFolder } from './harness.js';

afterEach(() => {
  vi.unstubAllEnvs();
});

async function shown(profile: string) {
  const cwd = workFolder();
  for (const name of Object.keys(process.env)) if (name.startsWith('TEMPORAL_')) vi.stubEnv(name, undefined);
  writeFileSync(join(cwd, 'temporal.toml'), profile);
  vi.stubEnv('TEMPORAL_CONFIG_FILE', join(cwd, 'temporal.toml'));
  const { exitCode, stdout, stderr } = await cli(['config', 'show', '--origin', '--json'], { cwd });
  return { exitCode, stderr, ...JSON.parse(stdout) };
}

test('the address and the namespace of the profile are shown with where they come from', async () => {
  const { exitCode, settings } = await shown(
    '[profile.default]\naddress = "films.example:7233"\nnamespace = "films"\n',
  );
  const origin = { name: 'Temporal profile' };
  expect(exitCode).toBe(0);
  expect(settings['temporal.address']).toEqual({ value: 'films.example:7233', origin });
  expect(settings['temporal.namespace']).toEqual({ value: 'films', origin });
});

test('one that cannot be read is said in one sentence, beside the settings', async () => {
  const { exitCode, stderr, problems, settings } = await shown('x = [\n');
  expect([exitCode, settings['temporal.address'].value]).toEqual([4, null]);
  expect(problems).toEqual([expect.stringMatching(/^the Temporal profile cannot be read \(.*\): correct it/)]);
  expect(stderr).toBe(`error: ${problems[0]}\n`);
});
