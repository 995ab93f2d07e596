// 5-X14: a file of the shared Temporal's TLS that is not there is named as such; it is no defect of callsheet.
import { afterEach, expect, test, vi } from 'vitest';
import { readConnection, readProfile, TemporalSettingsError } from '../../src/temporal/profile.js';

afterEach(() => {
  vi.unstubAllEnvs();
});

test('a mistyped path of a client certificate is a wrong setting', () => {
  for (const name of Object.keys(process.env)) if (name.startsWith('TEMPORAL_')) vi.stubEnv(name, undefined);
  vi.stubEnv('TEMPORAL_CONFIG_FILE', '/nowhere/temporal.toml');
  vi.stubEnv('TEMPORAL_TLS_CLIENT_CERT_PATH', '/nowhere/client.pem');
  vi.stubEnv('TEMPORAL_TLS_CLIENT_KEY_PATH', '/nowhere/client.key');
  const connecting = () => readConnection({ ...readProfile(), address: '127.0.0.1:9' });
  expect(connecting).toThrow(TemporalSettingsError);
  expect(connecting).toThrow(/cannot be read \(ENOENT.*client\.pem.*\): correct TEMPORAL_TLS_CLIENT_CERT_PATH/);
});
