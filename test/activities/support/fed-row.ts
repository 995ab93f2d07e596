// A row that a rendered film feeds, as a worker has it before it.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import type { Dependencies } from '../../../activities/dependencies.js';
import { inputActivities } from '../../../activities/inputs.js';
import type { OutputFile } from '../../../src/domain/outcome.js';
import type { Row } from '../../../src/domain/row.js';
import { openAccountRecords } from '../../../src/home/account-records.js';
import { writeBatchOptions } from '../../../src/home/batch-order.js';
import { loadRow } from '../../../src/home/row-work.js';
import { createRowsWriter } from '../../../src/home/rows-writer.js';
import { createFolderStore } from '../../../src/store/folder.js';
import { sha256 } from '../../download/broken-server.js';
import { temporaryFolder } from '../../store/support/temporary.js';
import { rowRecord } from '../../support/row-record.js';
import { imageRow } from '../../support/stack.js';

export interface FedRow {
  folder: string;
  /** What fetching the inputs gives, in the so many-th try. */
  fetchInputs(attempt: number, heartbeatDetails?: unknown): Promise<unknown>;
  /** The row as it is claimed and sent. */
  sent(): Promise<Row>;
}

/** `row` is the second one of its manifest; the film is row `film`, the first. The outputs lie as in a bucket. */
export async function fedByFilm(
  row: Row,
  film: { bytes: Uint8Array } & Partial<Omit<OutputFile, 'bytes'>>,
): Promise<FedRow> {
  const folder = temporaryFolder();
  const out = join(folder, 'out');
  const store = createFolderStore(join(folder, 'home'));
  const records = openAccountRecords(store, 'a');
  const feeder = imageRow('film');
  const writer = createRowsWriter(store, 'a', 'b');
  for (const one of [feeder, row]) await writer.add({ row: one, raw: { id: one.id } });
  const { generation } = await writer.finish({ columns: [], passthroughColumns: [], createdAtMs: 1 });
  await writeBatchOptions(records.home, 'b', {
    ...{ schema: 1, out, onExists: 'fail', responseFormat: 'url', manifestFolder: folder, maxOutputBytes: 1e9 },
  });
  const { bytes, ...told } = film;
  mkdirSync(join(out, 'b', 'media'), { recursive: true });
  writeFileSync(join(out, 'b', 'media', 'film.mp4'), bytes);
  const size = { bytes: bytes.length, sha256: sha256(bytes) };
  const file = { file: 'media/film.mp4', contentType: 'video/mp4', ...size, ...told };
  await records.records.writeRecord('b', rowRecord({ id: 'film', files: [file], rowHash: feeder.hash }));
  const openStore = (place: string) => ({ ...createFolderStore(place), location: 's3://bucket/out' });
  const settings = { home: join(folder, 'home') };
  const handed = { openStore, settings, isS3Reachable: true, uploads: new Map() };
  const deps = { ...records, ...handed } as unknown as Dependencies;
  const reference = { batch: 'b', generation, part: 0, index: 1, id: row.id, kind: row.kind };
  return {
    folder,
    fetchInputs: (attempt, heartbeatDetails) =>
      new MockActivityEnvironment({ attempt, heartbeatDetails }).run(inputActivities(deps).fetchInputs, {
        row: reference,
      }),
    sent: async () => (await loadRow(records, reference)).row,
  };
}
