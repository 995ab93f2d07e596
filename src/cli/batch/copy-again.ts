import { isDeepStrictEqual } from 'node:util';
import { fedFiles, fedInputs } from '../../home/feeders.js';
import { withFeeders } from '../../home/row-work.js';
import { modelOf } from '../../manifest/columns.js';
import { parallel } from '../../store/parallel.js';
import { type Store, StoreError } from '../../store/port.js';
import { sidecarOf, writeSidecars } from '../../store/sidecar.js';
import { type BatchPlace, openPlace, refusePlace } from '../access/home-access.js';
import { hintsOf } from '../open-session.js';
import { copyOutput } from '../reuse/copy-output.js';
import { type CopySource, openCopySources, originsOf } from '../reuse/source-of-copy.js';
import { type LostFile, lostFileLines } from './lost-files.js';
import { proveOut } from './prove-out.js';
import { changeStored } from './stored-again.js';

/** Copies whose files are lost are made once more of the renders that they were taken from: nothing is paid. */

const COPY_WIDTH = 16;

type CopyPlace = BatchPlace & { generation: string };

/** Says so, and gives what is still lost. `out` is the place that the batch writes to. */
export async function copyAgain(at: CopyPlace, out: string, lost: readonly LostFile[]): Promise<LostFile[]> {
  const { session, batch } = at;
  const sources = await findSources(at, lost);
  const left = ({ copy, ...one }: LostFile): LostFile => (copy?.when === 'later' ? { ...one, copy } : one);
  if (sources.size === 0) return lost.map(left);
  const files = [...sources.values()].flatMap((source) => source.files);
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  await proveOut(at, bytes, out);
  const owed = [...sources.keys()].filter(({ copy }) => copy?.when === 'now');
  for (const line of lostFileLines(owed, `${out}/${batch}`, hintsOf(session))) session.terminal.note(line);
  const store = openPlace(session.config, out, 'shared');
  await changeStored(at, async () => {
    await parallel([...sources], COPY_WIDTH, async ([one, source]) => {
      if (!(await copyOne(at, store, one, source))) sources.delete(one);
    });
  });
  return lost.flatMap((one) => (sources.has(one) ? [] : [left(one)]));
}

async function findSources(
  { access, batch }: CopyPlace,
  lost: readonly LostFile[],
): Promise<Map<LostFile, CopySource>> {
  const { whole } = openCopySources(access);
  const sources = new Map<LostFile, CopySource>();
  await parallel(lost, COPY_WIDTH, async (one) => {
    const { record, copy } = one;
    const source = copy && (await whole(await originsOf(access, batch, record), record.files));
    if (source !== undefined) sources.set(one, source);
  });
  return sources;
}

/** The files first, then the record, which stays the row's own. False where the source is another file by now. */
async function copyOne(at: CopyPlace, store: Store, lost: LostFile, source: CopySource): Promise<boolean> {
  const { access, batch } = at;
  const { record, copy } = lost;
  if (copy === undefined) return false;
  // Its own name may hold what it was changed to.
  const to = { store, batch, row: copy.row, onExists: 'version' } as const;
  const copyAll = () => Promise.all(source.files.map((file, position) => copyOutput(source, file, to, position)));
  try {
    const files = (await copyAll()).map(({ output }) => output);
    if (at.session.config.names.sidecar) await writeSidecar(at, store, { ...lost, record: { ...record, files } });
    await access.records.changeRecord(batch, record.id, (now) => {
      // It may have been rendered again since it was looked at.
      const isSame = now?.status === 'done' && now.finishedAtMs === record.finishedAtMs;
      return isSame && now.rerunAtMs === undefined ? { ...now, files } : undefined;
    });
    return true;
  } catch (error) {
    if (error instanceof StoreError && error.code === 'CHANGED') return false;
    return refusePlace(store.location, error);
  }
}

/** Not where what feeds the row is another file by now: how its own was made cannot be told as it was. */
async function writeSidecar(
  { access, batch, generation }: CopyPlace,
  store: Store,
  { record, copy }: LostFile,
): Promise<void> {
  if (copy === undefined) return;
  const { row, feeders } = await withFeeders(access, { batch, generation }, copy.row);
  if (!isDeepStrictEqual(fedInputs({ feeders }).inputs, record.inputs)) return;
  await writeSidecars(store, batch, record, sidecarOf(row, record, modelOf(row), fedFiles(feeders, record)));
}
