// A worker process that kills itself with SIGKILL once, at a named point: the product has no switch for this.
import { closeSync, openSync } from 'node:fs';
import type { Handed } from '../../activities/dependencies.js';
import type { AccountSettings } from '../../src/contract/account.js';
import type { Download } from '../../src/service/download.js';
import { createKeySource } from '../../src/worker/key-source.js';
import { createStandby } from '../../src/worker/standby.js';
import { openPlace, startAccountWorker } from '../../src/worker.js';
import { silent } from './silent-log.js';

export const CRASH_POINTS = [
  'before the claim',
  'after the claim',
  'after the request left',
  'after the answer arrived',
  'after the handle was recorded',
  'during polling',
  'after the end was recorded',
  'before the slot went back',
  'after the slot went back',
  'before the charge was booked',
  'after the charge was booked',
  'after the attempt was closed',
  'in the middle of a download',
  'before the record',
  'after the record',
] as const;
/** Of a row that is refused. */
export const AFTER_REFUSAL = 'after the refusal was recorded';
export type CrashPoint = (typeof CRASH_POINTS)[number] | typeof AFTER_REFUSAL;

export interface CrashOrder {
  address: string;
  settings: AccountSettings;
  point: CrashPoint;
  /** Created by the process that crashes: only one does. */
  marker: string;
  /** The row at which to crash. */
  id: string;
}

const text = process.env.CRASH_ORDER;
if (text !== undefined) await work(JSON.parse(text) as CrashOrder);

async function work(order: CrashOrder): Promise<void> {
  const place = await openPlace({ embedded: true, address: order.address, namespace: 'default' });
  await startAccountWorker({
    place,
    settings: order.settings,
    key: createKeySource({ value: 'sk-svc-emulator' }),
    standby: createStandby(() => performance.now()),
    log: silent,
    wrap: (deps) => crashing(deps, order),
  });
  process.send?.('ready');
}

function crashing(deps: Handed, order: CrashOrder): Handed {
  /** Whose request is under way: requests themselves do not name their row. */
  let current = '';
  /** Whose end at the service was recorded last: its slot goes back next. */
  let ended = '';
  const rowOfHandle = new Map<string, string>();
  const rowOfUrl = new Map<string, string>();
  const at = (point: CrashPoint, id = current): void => {
    if (point === order.point && id === order.id && isFirst(order.marker)) process.kill(process.pid, 'SIGKILL');
  };
  return {
    ...deps,
    ledger: {
      ...deps.ledger,
      async claim(ref, intent) {
        at('before the claim', ref.id);
        const claimed = await deps.ledger.claim(ref, intent);
        current = ref.id;
        at('after the claim', ref.id);
        return claimed;
      },
      async append(ref, state) {
        if (state.state === 'done' || state.state === 'rendered') {
          for (const { url } of state.outputs) if (url !== undefined) rowOfUrl.set(url, ref.id);
        }
        if (state.state === 'created') rowOfHandle.set(state.handle, ref.id);
        if (state.state === 'created' || state.state === 'done') at('after the answer arrived', ref.id);
        const stands = await deps.ledger.append(ref, state);
        if (state.state === 'created' || state.state === 'done') at('after the handle was recorded', ref.id);
        if (state.state === 'refused') at(AFTER_REFUSAL, ref.id);
        if (state.state === 'done' || state.state === 'rendered') {
          at('after the end was recorded', ref.id);
          ended = ref.id;
        }
        return stands;
      },
      async close(ref) {
        await deps.ledger.close(ref);
        at('after the attempt was closed', ref.id);
      },
      async readAttempt(ref) {
        current = ref.id;
        return deps.ledger.readAttempt(ref);
      },
    },
    transport: {
      ...deps.transport,
      async send(request, options) {
        const id = current;
        const sent = deps.transport.send(request, options);
        if (request.method === 'POST') setTimeout(() => at('after the request left', id), 400);
        else for (const [handle, row] of rowOfHandle) if (request.path.endsWith(handle)) at('during polling', row);
        return sent;
      },
    },
    downloader: {
      ...deps.downloader,
      async fetchOutput(url) {
        const download: Download = await deps.downloader.fetchOutput(url);
        const id = rowOfUrl.get(url);
        return { ...download, stream: cutting(download.stream, () => at('in the middle of a download', id)) };
      },
    },
    messenger: {
      ...deps.messenger,
      async release(message) {
        const id = ended;
        at('before the slot went back', id);
        const delivered = await deps.messenger.release(message);
        at('after the slot went back', id);
        return delivered;
      },
    },
    book: {
      ...deps.book,
      async append(charge) {
        at('before the charge was booked', charge.id);
        await deps.book.append(charge);
        at('after the charge was booked', charge.id);
      },
    },
    records: {
      ...deps.records,
      async writeRecord(batch, record) {
        at('before the record', record.id);
        await deps.records.writeRecord(batch, record);
        at('after the record', record.id);
      },
    },
  };
}

async function* cutting(source: AsyncIterable<Uint8Array>, cut: () => void): AsyncIterable<Uint8Array> {
  for await (const chunk of source) {
    yield chunk;
    cut();
  }
}

function isFirst(marker: string): boolean {
  try {
    closeSync(openSync(marker, 'wx'));
    return true;
  } catch {
    return false;
  }
}
