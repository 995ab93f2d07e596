/** The OpenAPI 3.1 description of the emulated service, made from its routes and the schemas of its bodies. */

import { CAPABILITIES } from '../families/vendor-a-forms.js';
import { MODELS } from '../families/vendor-f.js';
import type { Route } from '../model/world.js';
import { ANSWER_SCHEMAS, ERROR_SCHEMA, SHARED_ERROR_SCHEMA } from './openapi-answers.js';
import { SYNCHRONOUS_REQUESTS } from './openapi-requests.js';
import { either, oneOf, type Schema, text } from './openapi-schema.js';
import { SUBMIT_REQUESTS } from './openapi-submits.js';

const ERRORS: Readonly<Record<string, string>> = {
  '400': 'The request is not valid, or the model cannot render it.',
  '401': 'The API key is missing, malformed, unknown, revoked or expired.',
  '402': 'Not enough credits.',
  '403': 'The account has no grant for the model, or the User-Agent is refused.',
  '404': 'Not found.',
  '405': 'The path has no such method.',
  '409': 'The handle belongs to another account.',
  '413': 'The body is too large.',
  '415': 'The body is not JSON.',
  '422': 'The clip is too large.',
  '429': 'A cap of the plan is reached.',
  '500': 'Unexpected server error.',
  '502': 'The inference returned no data.',
  '503': 'Temporarily unavailable.',
  '504': 'The request exceeded its time budget.',
};

/** Path parts that have a fixed set of values. */
const PATH_PARTS: Readonly<Record<string, Schema>> = {
  capability: oneOf(...CAPABILITIES),
  model: oneOf(...MODELS),
};

/** Where a submit's answer has the handle, and which operation polls it, by the first name of the submit's route. */
const POLLS: Readonly<Record<string, { operationId: string; handle: string }>> = {
  'vendor-b.submit': { operationId: 'vendor-b.poll', handle: 'data/video_id' },
  ...Object.fromEntries(
    CAPABILITIES.map((name) => [`vendor-a.${name}.submit`, { operationId: 'vendor-a.poll', handle: 'data/task_id' }]),
  ),
  'shared.submit': { operationId: 'shared.poll', handle: 'output/task_id' },
  'vendor-d.submit': { operationId: 'vendor-d.poll', handle: 'id' },
  'vendor-e.submit': { operationId: 'vendor-e.poll', handle: 'task_id' },
  'vendor-f.submit': { operationId: 'vendor-f.poll', handle: 'name' },
};

/** Builds the description; each route must have an answer schema under its first name. */
export function openApi(routes: readonly Route[], serverUrl: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    paths[route.pattern] = { ...paths[route.pattern], [route.method.toLowerCase()]: operation(route) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Media generation service (emulator)',
      version: '1.0.0',
      description: 'A double of the service: same routes, rules, caps, money and time; no real generation.',
    },
    servers: [{ url: serverUrl }],
    security: [{ apiKey: [] }, { bearer: [] }],
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
        bearer: { type: 'http', scheme: 'bearer' },
      },
      schemas: { Error: ERROR_SCHEMA, SharedError: either(SHARED_ERROR_SCHEMA, ERROR_SCHEMA) },
    },
  };
}

function operation(route: Route): object {
  const name = route.names[0];
  const request = SYNCHRONOUS_REQUESTS[name] ?? SUBMIT_REQUESTS[name];
  const answer = ANSWER_SCHEMAS[name];
  if (answer === undefined) throw new Error(`route '${name}' has no answer schema`);
  const error = { $ref: `#/components/schemas/${name === 'shared.submit' ? 'SharedError' : 'Error'}` };
  const failures = Object.entries(ERRORS).map(([status, description]) => [status, { description, ...json(error) }]);
  return {
    operationId: `${name}${route.pattern.startsWith('/v1/videos/') ? '.alias' : ''}`,
    summary: `${route.method} ${route.pattern}`,
    parameters: parameters(route),
    ...(request === undefined ? {} : { requestBody: { required: true, ...json(request) } }),
    responses: {
      '200': { description: 'Success.', ...json(answer), ...linkToPoll(name) },
      ...Object.fromEntries(failures),
    },
  };
}

/** A task is polled under the capability that it was submitted to (service document 2, Multi-mode video task). */
function linkToPoll(name: string): object {
  const poll = POLLS[name];
  if (poll === undefined) return {};
  const capability = CAPABILITIES.find((one) => name === `vendor-a.${one}.submit`);
  const parameters = { handle: `$response.body#/${poll.handle}`, ...(capability === undefined ? {} : { capability }) };
  return { links: { poll: { operationId: poll.operationId, parameters } } };
}

function json(schema: Schema): object {
  return { content: { 'application/json': { schema } } };
}

function parameters(route: Route): object[] {
  const inPath = [...route.pattern.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: PATH_PARTS[name] ?? text,
  }));
  if (route.needsUserAgent !== true) return inPath;
  const description = 'Identifies the application; the default of an HTTP client is refused.';
  return [...inPath, { name: 'User-Agent', in: 'header', required: true, description, schema: text }];
}
