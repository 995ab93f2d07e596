import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { extname, join } from 'node:path';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { packageRoot } from '../package-root.js';
import { createAccess, isSame, ownPlaceOnly, refuse } from './access.js';
import { createApi, createMedia } from './api.js';
import { createRowsReader } from './batch-rows.js';
import { boundAddresses, knownPlaces, type OtherPlace, otherUrls } from './places.js';
import type { DashboardSource } from './source.js';

/** The page's server, for the person in front of this machine and whoever it is opened to. */
export interface Dashboard {
  /** `http://127.0.0.1:<port>`. */
  readonly address: string;
  /** Where else it is served, for whoever knows the secret. */
  readonly otherUrls: readonly string[];
  /** An address with a new code in its fragment, which no server and no log ever sees. */
  newUrl(): string;
  close(): Promise<void>;
}

export interface DashboardOptions {
  source: DashboardSource;
  /** 0 takes a free one. */
  port: number;
  /** Whoever knows it may ask for codes: another command of the same user. */
  controlSecret: string;
  /** Another address to serve on, which the secret opens. */
  other?: OtherPlace & { secret: string };
}

export const CONTROL_HEADER = 'x-callsheet-control';

/** The code of an error: there is no page to serve. */
export const PAGE_NOT_BUILT = 'PAGE_NOT_BUILT';

const PAGE = join(packageRoot, 'dist', 'page');
const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

/** Listens on 127.0.0.1, and where it is told to; rejects when the port is taken, or the page was never built. */
export async function startDashboard({ source, port, controlSecret, other }: DashboardOptions): Promise<Dashboard> {
  const access = createAccess(Date.now, other?.secret);
  const reader = createRowsReader(source, Date.now);
  const api = createApi(source, access, reader);
  let address = '';
  let places = new Map<string, string[]>();
  const app = new Hono();
  app.use(ownPlaceOnly(() => places));
  const newUrl = (): string => `${address}/#code=${access.newCode()}`;
  app.post('/control/url', (context) => {
    const isKnown = isSame(context.req.header(CONTROL_HEADER) ?? '', controlSecret);
    return isKnown ? context.json({ url: newUrl() }) : refuse(context, 'this command is not of the same user');
  });
  app.route('/api', api.app);
  app.route('/media', createMedia(source, access, reader));
  app.get('/favicon.ico', (context) => context.body(null, 204));
  for (const [path, file] of pageFiles()) {
    app.get(path, (context) => context.body(file.bytes, 200, { 'content-type': file.type }));
  }
  const { servers, at } = await listenOn(boundAddresses(other), port, () =>
    createServer(getRequestListener(app.fetch)),
  );
  address = `http://127.0.0.1:${at}`;
  places = knownPlaces(at, other);
  return {
    address,
    otherUrls: otherUrls(at, other),
    newUrl,
    close: async () => {
      api.close();
      await closeAll(servers);
    },
  };
}

/** The built page, held in memory: nothing else of the disk has an address here. */
function pageFiles(): [string, { type: string; bytes: Uint8Array<ArrayBuffer> }][] {
  if (!existsSync(join(PAGE, 'index.html'))) throw Object.assign(new Error(PAGE), { code: PAGE_NOT_BUILT });
  return readdirSync(PAGE).map((name) => {
    const bytes = new Uint8Array(readFileSync(join(PAGE, name)));
    return [name === 'index.html' ? '/' : `/${name}`, { type: TYPES[extname(name)] ?? 'text/plain', bytes }];
  });
}

/** One server for each address, all on the port that the first one got. */
async function listenOn(addresses: readonly string[], port: number, create: () => Server) {
  const servers: Server[] = [];
  let at = port;
  try {
    for (const address of addresses) {
      const server = create();
      server.listen(at, address);
      await once(server, 'listening');
      servers.push(server);
      const bound = server.address();
      if (typeof bound === 'object' && bound !== null) at = bound.port;
    }
  } catch (error) {
    await closeAll(servers);
    throw error;
  }
  return { servers, at };
}

async function closeAll(servers: readonly Server[]): Promise<void> {
  for (const server of servers) {
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  }
}
