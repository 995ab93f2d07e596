import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { z } from 'zod';
import { isNoFile, StoreError } from '../store/port.js';
import { type Access, refuse, SESSION_HEADER, sessionOnly } from './access.js';
import type { PageRow, ShownRow } from './answers.js';
import { type RowsReader, readSlice } from './batch-rows.js';
import { createEvents } from './events.js';
import { mediaAnswer } from './media.js';
import { asksForHead, chainOfRow, chosenRows, facetsOf, type RowsQuery, rowsQuerySchema } from './page-of-rows.js';
import { quoteOf, refuseMore } from './quote.js';
import { unusualRows } from './slot-history.js';
import { type DashboardSource, OrderRefused, orderSchema } from './source.js';
import { timeOf } from './time.js';
import { whyWaiting } from './why-waiting.js';

/** What the page asks for. Everything but the exchange of a code needs a session. */

const BODY_MAX = 64 * 1024;
/** States of a batch for which nothing is done now, as far as one can tell. */
const AT_REST = ['finished', 'sampled', 'not running', 'unknown'];

/** What opens a session: the code of a printed address, or the secret of a dashboard that is served elsewhere too. */
const keySchema = z.union([z.object({ code: z.string() }), z.object({ secret: z.string() })]);
/** The quote that a person saw when the order was confirmed. */
const agreedSchema = z.object({ agreed: z.object({ rows: z.number(), credits: z.string().nullable() }) });
const OLD_CODE =
  'this address was used already, or is older than 10 minutes: `callsheet dashboard --url` prints another';
const WRONG_SECRET = 'this is not the secret: it is in the file that --secret-file names';

export function createApi(source: DashboardSource, access: Access, reader: RowsReader): { app: Hono; close(): void } {
  const events = createEvents(() => source.list());
  const app = new Hono();
  const tooLong = (context: Context) => context.json({ message: 'a request may have at most 64 KB' }, 413);
  app.use(bodyLimit({ maxSize: BODY_MAX, onError: tooLong }));
  app.onError((error, context) => context.json({ message: error.message }, error instanceof OrderRefused ? 409 : 500));
  app.use('/batches/*', sessionOnly(access));
  app.use('/batches', sessionOnly(access));
  app.use('/events', sessionOnly(access));
  app.post('/session', async (context) => {
    const key = keySchema.safeParse(await context.req.json().catch(() => undefined)).data ?? { code: '' };
    const token = 'code' in key ? access.exchange(key.code) : access.exchangeSecret(key.secret);
    return token === undefined ? refuse(context, 'code' in key ? OLD_CODE : WRONG_SECRET) : context.json({ token });
  });
  app.get('/session', (context) => context.json({ asksForSecret: access.hasSecret }));
  // A HEAD is answered by what answers a GET, and nobody would ever end its stream.
  app.get('/events', (context) => {
    return isHead(context) ? context.body(null) : context.body(events.stream(context.req.raw.signal));
  });
  app.get('/batches', async (context) => context.json(await source.list()));
  defineReads(app, source, access, reader);
  defineOrders(app, source, reader, () => events.look());
  return { app, close: () => events.close() };
}

function defineReads(app: Hono, source: DashboardSource, access: Access, reader: RowsReader): void {
  app.get('/batches/:batch', async (context) => {
    const batch = context.req.param('batch');
    const status = await source.status(batch);
    if (status === undefined) return unknown(context);
    const rows = await reader.atOnce(batch);
    // A large batch is shown before all of its rows are read, or read anew: the page asks again for that.
    const isBehind = reader.isBehind(batch);
    const known = { facets: rows ? facetsOf(rows) : null, failures: rows?.failures ?? [], isBehind };
    return context.json({ status, quote: await source.quote(batch), ...known });
  });
  app.get('/batches/:batch/rows', async (context) => {
    const batch = await knownBatch(source, context);
    const query = rowsQuerySchema.safeParse(context.req.query());
    if (batch === undefined) return unknown(context);
    if (!query.success) return context.json({ message: 'this is no question about rows' }, 400);
    const { total, rows } = await pageOf(source, reader, batch, query.data);
    const shown = rows.map((row) => shownRow(batch, row, access, tokenOf(context)));
    return context.json({ total, offset: query.data.offset, rows: shown });
  });
  app.get('/batches/:batch/rows/:id', async (context) => {
    const batch = await knownBatch(source, context);
    const id = context.req.param('id');
    const rows = batch === undefined ? [] : (await reader.all(batch)).rows;
    const row = rows.find((one) => one.id === id);
    if (batch === undefined || row === undefined) return unknown(context);
    const shown = shownRow(batch, row, access, tokenOf(context));
    const waits = await whyWaiting(source, batch, row);
    return context.json({ row: shown, waits, chain: chainOfRow(rows, row), ...(await source.row(batch, row)) });
  });
  app.get('/batches/:batch/time', async (context) => {
    const batch = context.req.param('batch');
    const status = await source.status(batch);
    if (status === undefined) return unknown(context);
    const beganAtMs = Date.parse(String(status.createdAt)) || 0;
    const rows = await reader.all(batch);
    const isRunning = !AT_REST.includes(String(status.state));
    const history = await source.history(batch, unusualRows(rows), beganAtMs);
    return context.json(timeOf(rows, { beganAtMs, history, isRunning, readings: await source.balance(beganAtMs) }));
  });
}

async function pageOf(source: DashboardSource, reader: RowsReader, batch: string, query: RowsQuery) {
  const { offset, limit } = query;
  const known = asksForHead(query) ? await reader.atOnce(batch) : await reader.all(batch);
  if (known === undefined) {
    return { total: await source.count(batch), rows: await readSlice(source.lines(batch), query) };
  }
  const found = chosenRows(known, query);
  return { total: found.length, rows: found.slice(offset, offset + limit) };
}

function defineOrders(app: Hono, source: DashboardSource, reader: RowsReader, look: () => void): void {
  const read = async (context: Context) => {
    const batch = await knownBatch(source, context);
    const body: unknown = await context.req.json().catch(() => undefined);
    const agreed = agreedSchema.safeParse(body).data?.agreed;
    return { batch, order: orderSchema.safeParse(body), agreed };
  };
  app.post('/batches/:batch/quote', async (context) => {
    const { batch, order } = await read(context);
    if (batch === undefined) return unknown(context);
    if (!order.success) return badOrder(context, order.error.issues[0]?.message);
    return context.json({ ...(await quoteOf(source, batch, await reader.all(batch), order.data)) });
  });
  app.post('/batches/:batch/orders', async (context) => {
    const { batch, order, agreed } = await read(context);
    if (batch === undefined) return unknown(context);
    if (!order.success) return badOrder(context, order.error.issues[0]?.message);
    if (agreed !== undefined) await refuseMore(source, batch, await reader.all(batch), order.data, agreed);
    const message = await source.order(batch, order.data);
    look();
    return context.json({ message });
  });
}

/** Media elements send no header: their addresses are signed, and name a file that the batch's rows have. */
export function createMedia(source: DashboardSource, access: Access, reader: RowsReader): Hono {
  const app = new Hono();
  app.onError((error, context) => {
    const status = isNoFile(error) ? 404 : error instanceof StoreError ? 503 : 500;
    return context.json({ message: `this file cannot be shown: ${error.message}` }, status);
  });
  app.get('/:batch/:file', async (context) => {
    const { batch, file: name } = context.req.param();
    const { s = '', m = '' } = context.req.query();
    if (!access.isSigned(s, m, `${batch}/${name}`)) {
      return context.json({ message: 'this address of a file is not of an open session' }, 403);
    }
    const file = (await source.knows(batch)) ? (await reader.all(batch)).files.get(name) : undefined;
    if (file === undefined) return unknown(context);
    const asked = { range: context.req.header('range'), isHead: isHead(context) };
    return mediaAnswer(await source.outputs(batch), `${batch}/${name}`, file, asked);
  });
  return app;
}

function isHead(context: Context): boolean {
  return context.req.method === 'HEAD';
}

function tokenOf(context: Context): string {
  return context.req.header(SESSION_HEADER) ?? '';
}

async function knownBatch(source: DashboardSource, context: Context): Promise<string | undefined> {
  const name = context.req.param('batch') ?? '';
  return (await source.knows(name)) ? name : undefined;
}

function unknown(context: Context): Response {
  return context.json({ message: 'there is no such batch, row or file' }, 404);
}

function badOrder(context: Context, message = 'this is no order'): Response {
  return context.json({ message }, 400);
}

function shownRow(batch: string, { fed: _, isShared: __, ...shown }: PageRow, access: Access, token: string): ShownRow {
  const files = shown.files.map((file) => {
    const path = `${encodeURIComponent(batch)}/${encodeURIComponent(file.file)}`;
    return { ...file, url: `/media/${path}?${access.signature(token, `${batch}/${file.file}`)}` };
  });
  return { ...shown, files };
}
