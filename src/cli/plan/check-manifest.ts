import { canServiceReach, isLoopbackUrl } from '../../config/base-url.js';
import { waitsOf } from '../../config/make-config.js';
import type { Config } from '../../config.js';
import { defined } from '../../domain/defined.js';
import { providerOf } from '../../domain/kind.js';
import { isS3Address, parseS3Address, s3Endpoint } from '../../domain/s3.js';
import { longestRenderMs } from '../../kinds/expected.js';
import { factsOf } from '../../kinds/facts.js';
import type { ManifestOptions, ManifestSummary } from '../../manifest/manifest-options.js';
import type { LookAtS3 } from '../../manifest/media/remote-media.js';
import { formatProblem } from '../../manifest/problem.js';
import { validateManifest } from '../../manifest/validate-manifest.js';
import { createPlaces } from '../../store/open-store.js';
import { StoreError } from '../../store/port.js';
import type { HomeAccess } from '../access/home-access.js';
import type { CommandConfig, Session } from '../session.js';
import { EXIT, UserError } from '../user-error.js';
import { amount } from '../views/counts.js';
import { withErrorsFile } from './errors-file.js';
import type { ManifestPlace } from './manifest-flags.js';

const SHOWN_MAX = 100;
const PROGRESS_AFTER_MS = 1_000;
const PROGRESS_EVERY_MS = 2_000;

type Sinks = Pick<
  ManifestOptions,
  'earlierOuts' | 'isKnownInput' | 'onRow' | 'keepBlob' | 'date' | 'resolveHosts' | 'voices' | 'probeUrl'
>;

/**
 * Checks the whole manifest in one streaming pass and prints what is wrong with it as `file:line:column: CODE
 * message`; throws a UserError (exit 2) when something is.
 */
export async function checkManifest(session: Session, place: ManifestPlace, sinks: Sinks): Promise<ManifestSummary> {
  const { terminal } = session;
  const options = optionsFor(session, place, sinks);
  const summary = await withErrorsFile(place.errorsFile, (onProblem) =>
    validateManifest({ ...options, ...(onProblem && { onProblem }) }),
  );
  for (const warning of summary.warnings) terminal.warn(formatProblem(warning));
  const unseen = summary.warningCount - summary.warnings.length;
  if (unseen > 0) terminal.warn(`${amount(unseen, 'more warning')} of the manifest not shown`);
  if (summary.problemCount === 0) return summary;
  for (const problem of summary.problems) terminal.say(formatProblem(problem));
  throw new UserError(refusal(summary, place.errorsFile), EXIT.usage, summary.problems);
}

function optionsFor(session: Session, place: ManifestPlace, sinks: Sinks): ManifestOptions {
  const { config } = session;
  const progress = createProgress(session);
  const { format, delimiter, defaultKind, path } = place;
  return {
    source: path === undefined ? { stream: session.cli.io.stdin, name: '<stdin>' } : { path },
    ...defined({ format, delimiter, defaultKind, nameTemplate: config.names.template ?? undefined }),
    hasSidecars: config.names.sidecar,
    nameCharactersMax: roomForName(config.out, place.batch),
    // What an earlier row rendered may be named where it lies, as failed.csv does.
    inputRoots: [...place.inputRoots, config.out],
    shareIdentical: place.sharesIdentical,
    allowLoopback: isLoopbackUrl(config.baseUrl),
    problemLimit: SHOWN_MAX,
    ...s3Inputs(config, session.cli.io.env),
    canTakeFrames: () => canTakeFrames(session, place),
    urlCovers: (feeder, fed) =>
      !(place.givesNoUrls && providerOf(feeder) === 'svc') &&
      (factsOf(feeder).ownUrlLifeMs ?? 0) > longestRenderMs(fed, waitsOf(config)).ms,
    ...sinks,
    onRow: async (row, raw) => {
      progress.row();
      await sinks.onRow?.(row, raw);
    },
  };
}

/** The longest key of S3 and the longest path of the systems, bytes. */
const KEY_BYTES_MAX = 1_024;
const PATH_BYTES_MAX: Partial<Record<NodeJS.Platform, number>> = { darwin: 1_023, win32: 259 };
const OTHER_PATH_BYTES_MAX = 4_095;
/** What follows a name: the number of a version, the extension, a sidecar's. */
const ENDING = '.v999.jpeg.v999.json';
/** A folder's part file, which stands beside the name while it is written, is longer than that. */
const PART_BYTES = 140;

/** What is left for an output's name: nothing may be paid for that no name fits. */
export function roomForName(out: string, batch: string, platform = process.platform): number {
  const address = parseS3Address(out);
  if (address !== undefined) {
    const above = [address.prefix, batch, 'media', ''].filter((part, i) => i > 0 || part !== '').join('/');
    return KEY_BYTES_MAX - Buffer.byteLength(above) - ENDING.length;
  }
  const max = PATH_BYTES_MAX[platform] ?? OTHER_PATH_BYTES_MAX;
  return max - Buffer.byteLength(`${out}/${batch}/media/`) - PART_BYTES;
}

/** Where nobody can tell, the rows are let through: a worker may be started later, and what it cannot do costs nothing. */
async function canTakeFrames(session: Session, { asksNetwork }: ManifestPlace): Promise<boolean> {
  const { framesTaken } = await import('../access/seen-workers.js');
  const { sharedAddress } = await import('../access/work-place.js');
  const isAsked = asksNetwork || sharedAddress(session) === undefined;
  const taken = isAsked ? await framesTaken(session) : 'unknown';
  if (taken !== 'unknown') return taken;
  session.terminal.warn(
    'whether a worker can take frames of films is not known, since none was seen: without ffmpeg there, rows that need frames end unpaid',
  );
  return true;
}

function refusal(summary: ManifestSummary, errorsFile: string | undefined): string {
  const { problemCount, problems } = summary;
  const hidden = problemCount - problems.length;
  const where = errorsFile === undefined ? '; `--errors FILE` writes them all' : `; all are in ${errorsFile}`;
  const more = hidden > 0 ? `, ${hidden} of them not shown${where}` : '';
  return `the manifest has ${amount(problemCount, 'problem')}${more}: nothing was submitted`;
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

/** What buckets offer to the media of a manifest: a place to upload files to, and objects that are named. */
function s3Inputs(config: CommandConfig, env: NodeJS.ProcessEnv): Pick<ManifestOptions, 'hasUploadStore' | 's3Media'> {
  const isS3Reachable = canServiceReach(s3Endpoint(config.s3, env), config.baseUrl);
  const { openInput } = createPlaces({ settings: config.s3, environment: {} }, config.onLongRequest);
  const lookAtS3: LookAtS3 = async (address) => {
    try {
      const bytes = await openInput(address).bytes();
      return bytes === undefined ? { ok: false, reason: 'no such object' } : { ok: true, bytes };
    } catch (error) {
      if (error instanceof StoreError) return { ok: false, reason: error.message };
      throw error;
    }
  };
  return { hasUploadStore: hasUploadStore(config, env), s3Media: { lookAtS3, isS3Reachable } };
}

/** Files can be put where the service reads them. */
export function hasUploadStore({ out, home, s3, baseUrl }: Config, env: NodeJS.ProcessEnv): boolean {
  const hasBucket = isS3Address(out) || isS3Address(home);
  return hasBucket && canServiceReach(s3Endpoint(s3, env), baseUrl);
}

/** What a manifest's check asks of the world outside: the resolver, the account's voices, the media behind URLs. */
interface OutsideChecks {
  options: Pick<ManifestOptions, 'resolveHosts' | 'voices' | 'probeUrl'>;
  close(): Promise<void>;
}

/** Nothing with `--no-network`; the voices only where base URL and key are there; the media only with `--probe-urls`. */
export async function openOutsideChecks(
  session: Session,
  access: HomeAccess,
  { asksNetwork, probesUrls }: Pick<ManifestPlace, 'asksNetwork' | 'probesUrls'>,
): Promise<OutsideChecks> {
  const { config } = session;
  const options: OutsideChecks['options'] = { resolveHosts: asksNetwork };
  let close = async (): Promise<void> => undefined;
  if (asksNetwork && config.baseUrl !== null && session.keyOrigin !== undefined) {
    const { createKnownVoices } = await import('../access/read-account.js');
    options.voices = createKnownVoices(session, access);
  }
  if (asksNetwork && probesUrls) {
    const { createUrlProber } = await import('../../service/probe-url.js');
    const prober = createUrlProber({ allowLoopback: isLoopbackUrl(config.baseUrl), userAgent: config.userAgent });
    options.probeUrl = prober.probe;
    close = prober.close;
  }
  return { options, close };
}
