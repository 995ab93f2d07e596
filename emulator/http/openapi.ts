/**
 * The OpenAPI 3.1 description of the emulated service, made from its routes: paths and their parts, keys, polls by link and
 * the forms of an error. What a body may hold the routes themselves check; here it is a JSON object.
 */
import { CAPABILITIES } from '../families/vendor-a-forms.js';
import { MODELS } from '../families/vendor-f.js';
import type { Route } from '../model/world.js';

type Schema = Record<string, unknown>;

const TEXT: Schema = { type: 'string' };
const OBJECT: Schema = { type: 'object' };

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

/** The forms of the general contract (an `error` object, a `detail` string or object), and the shared route's own. */
const ERROR_SCHEMA: Schema = {
  anyOf: [
    { ...OBJECT, properties: { error: { ...OBJECT, required: ['code', 'message'] } }, required: ['error'] },
    { ...OBJECT, properties: { detail: { type: ['string', 'object'] } }, required: ['detail'] },
    { ...OBJECT, properties: { code: TEXT, message: TEXT, request_id: TEXT }, required: ['code', 'message'] },
  ],
};

const PATH_PARTS: Readonly<Record<string, Schema>> = {
  capability: { ...TEXT, enum: CAPABILITIES },
  model: { ...TEXT, enum: MODELS },
};

/** Where a submit's answer has the handle, by the first name of the route; its poll has the name of the family. */
const HANDLES: Readonly<Record<string, string>> = {
  'vendor-b': 'data/video_id',
  'vendor-a': 'data/task_id',
  shared: 'output/task_id',
  'vendor-d': 'id',
  'vendor-e': 'task_id',
  'vendor-f': 'name',
};

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
      schemas: { Error: ERROR_SCHEMA },
    },
  };
}

function operation(route: Route): object {
  const [name] = route.names;
  const failure = json({ $ref: '#/components/schemas/Error' });
  const failures = Object.entries(ERRORS).map(([status, description]) => [status, { description, ...failure }]);
  return {
    operationId: `${name}${route.pattern.startsWith('/v1/videos/') ? '.alias' : ''}`,
    summary: `${route.method} ${route.pattern}`,
    parameters: parameters(route),
    ...(route.method === 'POST' ? { requestBody: { required: true, ...json(OBJECT) } } : {}),
    responses: {
      '200': { description: 'Success.', ...json(OBJECT), ...linkToPoll(name) },
      ...Object.fromEntries(failures),
    },
  };
}

/** A task is polled under the capability that it was submitted to (service document 2, Multi-mode video task). */
function linkToPoll(name: string): object {
  const [family = '', part = ''] = name.split('.');
  const handle = name.endsWith('.submit') ? HANDLES[family] : undefined;
  if (handle === undefined) return {};
  const capability = part === 'submit' ? {} : { capability: part };
  const parameters = { handle: `$response.body#/${handle}`, ...capability };
  return { links: { poll: { operationId: `${family}.poll`, parameters } } };
}

function json(schema: Schema): object {
  return { content: { 'application/json': { schema } } };
}

function parameters(route: Route): object[] {
  const inPath = [...route.pattern.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: PATH_PARTS[name] ?? TEXT,
  }));
  if (route.needsUserAgent !== true) return inPath;
  const description = 'Identifies the application; the default of an HTTP client is refused.';
  return [...inPath, { name: 'User-Agent', in: 'header', required: true, description, schema: TEXT }];
}
