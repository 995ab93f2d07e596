/** The environment of the engine's processes. */
import { s3Environment } from '../domain/s3.js';

/**
 * What server and worker inherit. A client's settings, key and S3 credentials are handed over as registrations: what
 * happened to be in the environment of the client that came first must not decide for all.
 */
export function childEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const handedOver = s3Environment(environment);
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => !/^(CALLSHEET|TEMPORAL)_/.test(name) && !(name in handedOver)),
  );
}
