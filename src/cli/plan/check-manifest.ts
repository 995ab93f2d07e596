import { createWriteStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import { hasFfmpeg } from '../../activities/film-frame.js';
import { waitsOf } from '../../config/account-settings.js';
import { isLoopbackUrl } from '../../config/base-url.js';
import { longestRenderMs } from '../../domain/longest-render.js';
import { ownUrlLifeMs } from '../../domain/own-url-life.js';
import { isS3Address } from '../../domain/s3.js';
import type { ManifestOptions, ManifestSummary } from '../../manifest/manifest-options.js';
import { ERRORS_HEADER, errorLine, formatProblem, type Problem } from '../../manifest/problem.js';
import { validateManifest } from '../../manifest/validate-manifest.js';
import { EXIT } from '../exit-codes.js';
import type { Session } from '../session.js';
import { UserError } from '../user-error.js';
import type { ManifestPlace } from './manifest-flags.js';
import { s3Inputs } from './s3-inputs.js';

const SHOWN_MAX = 100;
const PROGRESS_AFTER_MS = 1_000;
const PROGRESS_EVERY_MS = 2_000;

/**
 * Checks the whole manifest in one streaming pass and prints what is wrong with it as `file:line:column: CODE
 * message`; throws a UserError (exit 2) when something is.
 */
export async function checkManifest(
  session: Session,
  place: ManifestPlace,
  sinks: Pick<ManifestOptions, 'onRow' | 'keepBlob' | 'date' | 'resolveHosts' | 'voices' | 'probeUrl'>,
): Promise<ManifestSummary> {
  const { terminal, config } = session;
  const errors = place.errorsFile === undefined ? undefined : await openErrors(place.errorsFile);
  const progress = createProgress(session);
  const summary = await validateManifest({
    source: place.path === undefined ? { stream: session.cli.io.stdin, name: '<stdin>' } : { path: place.path },
    ...(place.format === undefined ? {} : { format: place.format }),
    ...(place.delimiter === undefined ? {} : { delimiter: place.delimiter }),
    ...(place.defaultKind === undefined ? {} : { defaultKind: place.defaultKind }),
    ...(config.names.template === null ? {} : { nameTemplate: config.names.template }),
    // What an earlier row rendered may be named where it lies, as failed.csv does.
    inputRoots: isS3Address(config.out) ? place.inputRoots : [...place.inputRoots, config.out],
    shareIdentical: place.sharesIdentical,
    allowLoopback: config.baseUrl !== null && isLoopbackUrl(config.baseUrl),
    problemLimit: SHOWN_MAX,
    ...s3Inputs(config, session.cli.io.env),
    canTakeFrames: hasFfmpeg,
    urlCovers: (feeder, fed) => (ownUrlLifeMs(feeder) ?? 0) > longestRenderMs(fed, waitsOf(config)).ms,
    ...sinks,
    ...(errors === undefined ? {} : { onProblem: errors.add }),
    onRow: async (row, raw) => {
      progress.row();
      await sinks.onRow?.(row, raw);
    },
  });
  await errors?.close();
  for (const warning of summary.warnings) terminal.warn(formatProblem(warning));
  if (summary.problemCount === 0) return summary;
  for (const problem of summary.problems) terminal.say(formatProblem(problem));
  throw new UserError(refusal(summary, place.errorsFile), EXIT.usage, summary.problems);
}

function refusal(summary: ManifestSummary, errorsFile: string | undefined): string {
  const { problemCount, problems } = summary;
  const hidden = problemCount - problems.length;
  const where = errorsFile === undefined ? '; `--errors FILE` writes them all' : `; all are in ${errorsFile}`;
  const more = hidden > 0 ? `, ${hidden} of them not shown${where}` : '';
  return `the manifest has ${problemCount} ${problemCount === 1 ? 'problem' : 'problems'}${more}: nothing was submitted`;
}

interface ErrorsFile {
  add(problem: Problem): void;
  close(): Promise<void>;
}

async function openErrors(path: string): Promise<ErrorsFile> {
  await refuseForeignFile(path);
  const stream = createWriteStream(path, { mode: 0o600 });
  await new Promise<void>((resolve, reject) => {
    stream.once('open', () => resolve());
    stream.once('error', (error) => reject(new UserError(`--errors ${path} cannot be written: ${error.message}`)));
  });
  stream.write(ERRORS_HEADER);
  return {
    add: (problem) => {
      stream.write(errorLine(problem));
    },
    close: async () => {
      stream.end();
      await finished(stream);
    },
  };
}

/** Only what an earlier check wrote is written over: the name may be that of a manifest, of media, or of a link to them. */
async function refuseForeignFile(path: string): Promise<void> {
  // A pipe or a device is nobody's file, and reading from it would wait.
  if ((await stat(path).catch(() => undefined))?.isFile() !== true) return;
  const file = await open(path);
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

/** Long checks show that they go on. */
function createProgress({ terminal }: Session): { row(): void } {
  let rows = 0;
  let nextAtMs = Date.now() + PROGRESS_AFTER_MS;
  return {
    row: () => {
      rows += 1;
      if (rows % 256 !== 0 || Date.now() < nextAtMs) return;
      nextAtMs = Date.now() + PROGRESS_EVERY_MS;
      terminal.note(`checking the manifest: ${rows} rows so far`);
    },
  };
}
