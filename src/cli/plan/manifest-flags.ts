import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import type { ResponseFormat } from '../../domain/batch.js';
import type { Kind } from '../../domain/kind.js';
import { isS3Address, parseS3Address, S3_FORM } from '../../domain/s3.js';
import { isKind, KINDS } from '../../kinds/facts.js';
import { batchNameFrom } from '../../manifest/names.js';
import { quoted } from '../../manifest/problem.js';
import { pathFlaw } from '../../manifest/read-manifest.js';
import { nearestWord } from '../../manifest/suggest.js';
import { repeated } from '../open-session.js';
import type { ReuseOrder } from '../reuse/found-renders.js';
import type { Session } from '../session.js';
import { UserError } from '../user-error.js';

/** The flags that say how a manifest is read, for `run` and `plan`. */
export interface ManifestFlags {
  name?: string;
  kind?: string;
  delimiter?: string;
  format?: 'csv' | 'jsonl';
  errors?: string;
  inputRoot?: string[];
  network: boolean;
  probeUrls?: boolean;
  shareIdentical?: boolean;
  reuse?: string;
  /** `run` alone has it. */
  responseFormat?: ResponseFormat;
}

/** A manifest as the command line names it. */
export interface ManifestPlace {
  batch: string;
  /** As the user wrote it, for messages; undefined for standard input. */
  path: string | undefined;
  /** Absolute; undefined for standard input. */
  file: string | undefined;
  /** Absolute: where relative media are looked for. */
  folder: string;
  defaultKind: Kind | undefined;
  delimiter: string | undefined;
  format: 'csv' | 'jsonl' | undefined;
  /** Where every problem is written, absolute. */
  errorsFile: string | undefined;
  /** Absolute folders and `s3://` addresses. */
  inputRoots: string[];
  /** Resolver and service may be asked while the manifest is checked. */
  asksNetwork: boolean;
  /** Media behind URLs are looked at. */
  probesUrls: boolean;
  /** Also rows without an explicit seed are rendered once when they ask for the same. */
  sharesIdentical: boolean;
  /** Which earlier renders stand for rows. */
  reuse: ReuseOrder;
  /** Synchronous answers carry their output and no URL of it. */
  givesNoUrls: boolean;
}

export function addManifestFlags(command: Command): Command {
  const options = [
    new Option('--name <batch>', "the batch's name (default: the manifest's file name without extension)"),
    new Option('--kind <kind>', 'for rows without a kind of their own'),
    new Option('--delimiter <character>', 'between cells (default ,); \\t for a tab'),
    new Option('--format <format>', 'csv or jsonl (default: by the file name)').choices(['csv', 'jsonl']),
    new Option('--errors <file>', 'write every problem of the manifest to this file, as CSV'),
    new Option(
      '--input-root <place>',
      'a folder or s3://bucket/prefix besides its own from which the manifest may name media (repeatable)',
    ).argParser(repeated),
    new Option('--probe-urls', 'look at the size and type of media URLs too, with one small request each'),
    new Option('--no-network', 'check without resolver and service: no hosts, no voices, no media behind URLs'),
    new Option('--share-identical', 'render identical rows once, also those without an explicit seed'),
    // Its value only behind `=`: run-cli sees to it that the manifest is never taken for one.
    new Option(
      '--reuse [what]',
      'take over what was rendered for the same request before, at no cost; urls: also where inputs are URLs, whose bytes were never read',
    ),
  ];
  for (const option of options) command.addOption(option.helpGroup('Manifest:'));
  return command;
}

/** Checks the flags; throws a UserError. */
export function readManifestFlags(manifest: string, flags: ManifestFlags, session: Session): ManifestPlace {
  const { cwd } = session.cli.io;
  const isStdin = manifest === '-';
  if (isStdin && session.keyFile === '-') {
    throw new UserError(
      'manifest and API key cannot both come on standard input: put the key in CALLSHEET_API_KEY or a file',
    );
  }
  if (flags.probeUrls === true && !flags.network) {
    throw new UserError('--probe-urls and --no-network exclude each other');
  }
  const path = isStdin ? undefined : pathFrom(cwd, manifest);
  const named = batchNameFrom(isStdin ? undefined : manifest, flags.name);
  if ('message' in named) {
    // Without a file there is nothing to name.
    const flaw = path === undefined || flags.name !== undefined ? undefined : pathFlaw(path);
    if (flaw !== undefined) throw new UserError(`${flaw.code} ${flaw.message}`);
    throw new UserError(`B12 ${named.message}`);
  }
  return {
    batch: named.name,
    path,
    file: isStdin ? undefined : resolve(cwd, manifest),
    folder: isStdin ? cwd : resolve(cwd, manifest, '..'),
    defaultKind: flags.kind === undefined ? undefined : checkedKind(flags.kind),
    delimiter: flags.delimiter === undefined ? undefined : checkedDelimiter(flags.delimiter),
    format: flags.format,
    errorsFile: flags.errors === undefined ? undefined : errorsFileFrom(cwd, flags.errors),
    asksNetwork: flags.network,
    probesUrls: flags.probeUrls === true,
    inputRoots: (flags.inputRoot ?? []).map((root) => readInputRoot(root, cwd)),
    sharesIdentical: flags.shareIdentical === true,
    reuse: flags.reuse === undefined ? 'none' : checkedReuse(flags.reuse),
    givesNoUrls: flags.responseFormat === 'b64_json',
  };
}

/** As it was written where that does, for messages; an empty one is no folder. */
function pathFrom(cwd: string, manifest: string): string {
  return manifest === '' || cwd === process.cwd() ? manifest : resolve(cwd, manifest);
}

/** The kind that a user wrote; throws a UserError with a suggestion. */
export function checkedKind(text: string): Kind {
  if (isKind(text)) return text;
  const nearest = nearestWord(text, KINDS);
  const hint = nearest === undefined ? '`callsheet kinds` lists them' : `did you mean '${nearest}'?`;
  throw new UserError(`B57 unknown kind '${text.slice(0, 80)}'; ${hint}`);
}

function errorsFileFrom(cwd: string, file: string): string {
  if (file === '') throw new UserError('--errors must not be empty');
  return resolve(cwd, file);
}

function readInputRoot(text: string, cwd: string): string {
  // An unset variable would let media be read from the folder that happens to be the working one.
  if (text === '') throw new UserError('--input-root must not be empty');
  if (!isS3Address(text)) return resolve(cwd, text);
  if (parseS3Address(text) !== undefined) return text;
  throw new UserError(
    `--input-root must be a folder or s3://bucket/prefix, got ${quoted(text.slice(0, 80))}: ${S3_FORM}`,
  );
}

function checkedReuse(text: string): ReuseOrder {
  if (text === '') return 'bytes';
  if (text === 'urls') return 'urls';
  throw new UserError(`--reuse is given alone or as --reuse=urls, got '${text.slice(0, 40)}'`);
}

function checkedDelimiter(text: string): string {
  const character = text === '\\t' || text.toLowerCase() === 'tab' ? '\t' : text;
  if (character.length === 1 && !/["\r\n]/.test(character)) return character;
  const rule = character === '"' ? 'must be one character other than the quote' : 'must be one character';
  throw new UserError(`--delimiter ${rule}, got ${quoted(text.slice(0, 40))}`);
}
