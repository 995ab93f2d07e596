import { createWriteStream } from 'node:fs';
import { open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { finished, pipeline } from 'node:stream/promises';
import type { Row } from '../../domain/row.js';
import { ERRORS_HEADER, errorLine, type Problem } from '../../manifest/problem.js';
import { refuseTempFolder } from '../../manifest/temp-folder.js';
import { errorCode } from '../../store/folder-errors.js';
import { makePassingFolder } from '../../store/passing.js';
import { storeTrouble } from '../../store/store-trouble.js';
import { EXIT, UserError } from '../user-error.js';
import type { ManifestPlace } from './manifest-flags.js';

const COPIED_BYTES_MAX = 1 << 20;

/**
 * Runs a check and writes every problem that it tells into the file of `--errors`, as CSV in the order of the manifest's
 * lines; without a path it only checks. Names and references are checked behind the rows that they belong to, so
 * problems come out of order, and there may be more of them than fit into memory: they wait in a temporary file, of
 * which the places alone are kept and sorted. Throws a UserError where the file cannot be written or is another's.
 */
export async function withErrorsFile<T>(
  path: string | undefined,
  check: (onProblem?: (problem: Problem) => void) => Promise<T>,
): Promise<T> {
  if (path === undefined) return check();
  await refuseForeignFile(path);
  const folder = await makePassingFolder('errors').catch(refuseTempFolder);
  const file = await open(path, 'w', 0o600).catch(async (error: Error) => {
    await rm(folder, { recursive: true, force: true });
    return refuseUnwritable(path, error);
  });
  try {
    const waiting = createWriteStream(join(folder, 'problems.csv'), { mode: 0o600 });
    const written = finished(waiting);
    // It is waited for below; until then nobody is told.
    written.catch(() => undefined);
    const places = createPlaces();
    const checked = await check((problem) => {
      const text = errorLine(problem);
      places.add(problem, Buffer.byteLength(text));
      waiting.write(text);
    });
    waiting.end();
    await written.catch(refuseTempFolder);
    const lines = inOrder(join(folder, 'problems.csv'), places.pieces());
    await pipeline(lines, file.createWriteStream()).catch((error: Error) => refuseUnwritable(path, error));
    return checked;
  } finally {
    await file.close();
    await rm(folder, { recursive: true, force: true });
  }
}

const TOLD_MAX = 100;

/** Where refused rows are told: the manifest, and the file of `--errors`, which has all of them. */
export type RefusingPlace = Pick<ManifestPlace, 'path'> & Partial<Pick<ManifestPlace, 'errorsFile'>>;

/** A refused row as a problem of its manifest. */
export function rowProblem(
  { path }: RefusingPlace,
  { id, line }: Pick<Row, 'id' | 'line'>,
  code: Problem['code'],
  message: string,
): Problem {
  return { file: path ?? '<stdin>', line, column: 1, code, id, message };
}

/**
 * Runs a refusal of rows that the manifest's own check cannot find: the problems of its UserError, which is thrown on,
 * are written into the file of `--errors` too.
 */
export async function tellRefused(path: string | undefined, refuse: () => void): Promise<void> {
  try {
    refuse();
  } catch (error) {
    if (!(error instanceof UserError) || error.problems === undefined) throw error;
    const { message, exitCode, problems } = error;
    // A pipe was written to by the check, and may have no reader any more.
    const isKept = path !== undefined && (await stat(path).catch(() => undefined))?.isFile() === true;
    await withErrorsFile(isKept ? path : undefined, async (onProblem) => {
      for (const problem of problems) onProblem?.(problem);
    });
    const where = isKept ? `; all are in ${path}` : '';
    throw new UserError(`${message}${where}`, exitCode, problems.slice(0, TOLD_MAX));
  }
}

const WRONG_NAME: readonly (string | undefined)[] = ['ENOENT', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG', 'ELOOP'];

function refuseUnwritable(path: string, error: Error): never {
  const code = errorCode(error);
  const why = code === undefined ? error.message : storeTrouble(code);
  // A slip in the name is one of the command line; what else takes no file is a store that cannot be written.
  const exitCode = WRONG_NAME.includes(code) ? EXIT.usage : EXIT.configuration;
  throw new UserError(`--errors ${path} cannot be written: ${why}`, exitCode);
}

async function* inOrder(path: string, pieces: Iterable<Piece>): AsyncIterable<Uint8Array> {
  yield Buffer.from(ERRORS_HEADER);
  const file = await open(path);
  try {
    for (const { start, bytes } of pieces) yield (await file.read(Buffer.alloc(bytes), 0, bytes, start)).buffer;
  } finally {
    await file.close();
  }
}

interface Piece {
  start: number;
  bytes: number;
}

/** Where each problem stands in the manifest and in the file that it waits in: 24 bytes for each. */
function createPlaces() {
  const lines: number[] = [];
  const columns: number[] = [];
  const starts: number[] = [0];

  /** Problems by line and column; of one cell as they were found. */
  function sorted(): Uint32Array {
    const order = Uint32Array.from(lines, (_, i) => i);
    const at = (of: readonly number[], i: number) => of[i] ?? 0;
    return order.sort((a, b) => at(lines, a) - at(lines, b) || at(columns, a) - at(columns, b) || a - b);
  }

  return {
    add({ line, column }: Problem, bytes: number): void {
      lines.push(line);
      columns.push(column);
      starts.push((starts.at(-1) ?? 0) + bytes);
    },
    /** Pieces of the file that waits; neighbours that stay neighbours are one. */
    *pieces(): Iterable<Piece> {
      let piece: Piece = { start: 0, bytes: 0 };
      for (const i of sorted()) {
        const start = starts[i] ?? 0;
        const bytes = (starts[i + 1] ?? start) - start;
        const isNext = start === piece.start + piece.bytes && piece.bytes + bytes <= COPIED_BYTES_MAX;
        if (!isNext && piece.bytes > 0) yield piece;
        piece = isNext ? { start: piece.start, bytes: piece.bytes + bytes } : { start, bytes };
      }
      if (piece.bytes > 0) yield piece;
    },
  };
}

/** Only what an earlier check wrote is written over: the name may be that of a manifest, of media, or of a link to them. */
async function refuseForeignFile(path: string): Promise<void> {
  // A pipe or a device is nobody's file, and reading from it would wait.
  if ((await stat(path).catch(() => undefined))?.isFile() !== true) return;
  const file = await open(path).catch((error: Error) => refuseUnwritable(path, error));
  try {
    const wanted = Buffer.from(ERRORS_HEADER);
    const { bytesRead, buffer } = await file.read(Buffer.alloc(wanted.length), 0, wanted.length, 0);
    const isForeign = bytesRead > 0 && !buffer.subarray(0, bytesRead).equals(wanted);
    if (isForeign) {
      throw new UserError(`--errors ${path} would overwrite a file that holds something else: choose another name`);
    }
  } finally {
    await file.close();
  }
}
