import { hasFfmpeg } from '../../../activities/files/film-frame.js';
import { waitsOf } from '../../config/account-settings.js';
import { isLoopbackUrl } from '../../config/base-url.js';
import { isS3Address } from '../../domain/s3.js';
import { factsOf } from '../../kinds/facts.js';
import { longestRenderMs } from '../../kinds/longest-render.js';
import type { ManifestOptions, ManifestSummary } from '../../manifest/manifest-options.js';
import { formatProblem } from '../../manifest/problem.js';
import { validateManifest } from '../../manifest/validate-manifest.js';
import { EXIT } from '../exit-codes.js';
import type { Session } from '../session.js';
import { UserError } from '../user-error.js';
import { withErrorsFile } from './errors-file.js';
import type { ManifestPlace } from './manifest-flags.js';
import { s3Inputs } from './s3-inputs.js';

const SHOWN_MAX = 100;
const PROGRESS_AFTER_MS = 1_000;
const PROGRESS_EVERY_MS = 2_000;

type Sinks = Pick<ManifestOptions, 'onRow' | 'keepBlob' | 'date' | 'resolveHosts' | 'voices' | 'probeUrl'>;

/**
 * Checks the whole manifest in one streaming pass and prints what is wrong with it as `file:line:column: CODE
 * message`; throws a UserError (exit 2) when something is.
 */
export async function checkManifest(session: Session, place: ManifestPlace, sinks: Sinks): Promise<ManifestSummary> {
  const { terminal } = session;
  const options = optionsFor(session, place, sinks);
  const summary = await withErrorsFile(place.errorsFile, (onProblem) =>
    validateManifest({ ...options, ...(onProblem === undefined ? {} : { onProblem }) }),
  );
  for (const warning of summary.warnings) terminal.warn(formatProblem(warning));
  if (summary.problemCount === 0) return summary;
  for (const problem of summary.problems) terminal.say(formatProblem(problem));
  throw new UserError(refusal(summary, place.errorsFile), EXIT.usage, summary.problems);
}

function optionsFor(session: Session, place: ManifestPlace, sinks: Sinks): ManifestOptions {
  const { config } = session;
  const progress = createProgress(session);
  return {
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
    urlCovers: (feeder, fed) => (factsOf(feeder).ownUrlLifeMs ?? 0) > longestRenderMs(fed, waitsOf(config)).ms,
    ...sinks,
    onRow: async (row, raw) => {
      progress.row();
      await sinks.onRow?.(row, raw);
    },
  };
}

function refusal(summary: ManifestSummary, errorsFile: string | undefined): string {
  const { problemCount, problems } = summary;
  const hidden = problemCount - problems.length;
  const where = errorsFile === undefined ? '; `--errors FILE` writes them all' : `; all are in ${errorsFile}`;
  const more = hidden > 0 ? `, ${hidden} of them not shown${where}` : '';
  return `the manifest has ${problemCount} ${problemCount === 1 ? 'problem' : 'problems'}${more}: nothing was submitted`;
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
