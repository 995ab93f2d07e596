/** The OpenAPI description of the emulated service. */
import type { Route } from './world.js';

/** Builds the description of the given routes. */
export function openApi(routes: readonly Route[], serverUrl: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    paths[route.pattern] = { ...paths[route.pattern], [route.method.toLowerCase()]: { operationId: route.names[0] } };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Media generation service (emulator)', version: '1' },
    servers: [{ url: serverUrl }],
    paths,
  };
}
