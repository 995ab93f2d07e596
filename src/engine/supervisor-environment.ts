/** The environment of the engine's processes. */

/**
 * What server and worker inherit. A client's settings and key are handed over as registrations: what happened to be
 * in the environment of the client that came first must not decide for all.
 */
export function childEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !/^(CALLSHEET|TEMPORAL)_/.test(name)));
}
