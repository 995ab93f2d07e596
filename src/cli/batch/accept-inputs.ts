import { join } from 'node:path';
import type { OutputFile, RowRecord } from '../../domain/outcome.js';
import type { Row } from '../../domain/row.js';
import { isS3Address } from '../../domain/s3.js';
import { feedersOf } from '../../home/feeders.js';
import { noteReruns } from '../../home/row-orders.js';
import { readMediaFacts } from '../../store/media-facts.js';
import { sniffMedia } from '../../store/media-type.js';
import { peekBytes } from '../../store/outputs.js';
import type { Store } from '../../store/port.js';
import { type HomeAccess, openPlace } from '../access/home-access.js';
import { UserError } from '../user-error.js';

/** Files that people retouched after they were rendered: by order they feed as they lie. */

/** A row that feeds, with its file as it lies. */
export interface Retouched {
  record: RowRecord;
  file: OutputFile;
}

interface Place {
  batch: string;
  generation: string;
  out: string;
}

/** As much of a file as a store shows before it is committed. */
const HEAD_BYTES = 1 << 18;

/** What feeds a row that ended since a file was another one; throws a UserError where there is no file to be taken. */
export async function retouchedFor(access: HomeAccess, place: Place, row: Row): Promise<Retouched[]> {
  const own = await access.records.readRecord(place.batch, row.id);
  if (own?.status !== 'not_started' || own.reasonCode !== 'input_changed') return [];
  const store = openPlace(access.config, place.out, 'shared');
  const found: Retouched[] = [];
  for (const { record, file } of await feedersOf(access, place, row)) {
    if (record === undefined || file === undefined) continue;
    const lies = await fileAsItLies(store, place, record.id, file);
    if (lies.sha256 !== file.sha256) found.push({ record, file: lies });
  }
  return found;
}

/** From here on the record of the row that feeds tells of the file that lies there. */
export async function acceptFiles(
  { home, records }: HomeAccess,
  batch: string,
  retouched: Iterable<Retouched>,
  tell: (line: string) => void,
): Promise<void> {
  for (const { record, file } of retouched) {
    const warning = `${file.file} was changed after it was rendered, and is taken as it is`;
    const warnings = [...record.warnings.filter((one) => one !== warning), warning];
    // What was made with the file as it was is told from what is made with this one.
    await noteReruns(home, batch, [record.id]);
    tell(`${file.file} of row '${record.id}' is taken as it lies`);
    await records.writeRecord(batch, { ...record, files: [file, ...record.files.slice(1)], warnings });
  }
}

async function fileAsItLies(store: Store, { batch, out }: Place, id: string, file: OutputFile): Promise<OutputFile> {
  const key = `${batch}/${file.file}`;
  const stored = await store.stat(key);
  const source = stored && (await store.read(key));
  if (stored === undefined || source === undefined) {
    throw new UserError(`${file.file} of row '${id}' is gone: put a file there; nothing was submitted`);
  }
  const { head, close } = await peekBytes(source, HEAD_BYTES);
  await close();
  const type = sniffMedia(head);
  const localPath = isS3Address(out) ? {} : { localPath: join(out, key) };
  const reading = type && (await readMediaFacts(type, { ...stored, head, ...localPath }));
  if (type === undefined || reading === undefined || 'problem' in reading) {
    throw new UserError(`${file.file} of row '${id}' cannot be opened as media; nothing was submitted`);
  }
  return { file: file.file, contentType: type.contentType, ...stored, ...reading.facts };
}
