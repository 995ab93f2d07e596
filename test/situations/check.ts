// What must hold of every draw, whatever was typed and whatever the situation is.

import { type Leaf, longOf } from './commands.js';
import type { Draw } from './draw.js';
import { KEY } from './place.js';
import type { Ended } from './program.js';
import { expectedCodes } from './table.js';

export interface Outcome {
  ended: Ended;
  /** Requests that cost while it ran. */
  paid: number;
}

/** The exit codes of the contract. */
const CONTRACT = [0, 1, 2, 3, 4, 5, 6, 7, 130];
/** Something was wrong before the first paid request. */
const REFUSED = [2, 4, 5];
/** They tell on standard output what is wrong: it is what they were asked. */
const TELLS_AS_DATA = ['doctor', 'ledger verify', 'ledger repair', 'status', 'engine status'];
/** Only these may submit anything. */
export const SUBMITS = [
  'run',
  'watch',
  'retry',
  'resume',
  'review resubmit',
  'review settle-group',
  'review mark-lost',
];

/** One sentence for each thing that does not hold. */
export function violations(draw: Draw, { ended, paid }: Outcome): string[] {
  const { exitCode, stdout, stderr } = ended;
  const { leaf } = draw;
  if (exitCode === 'hung') return ['it never ended'];
  const found: string[] = [];
  const said = `${stdout}\n${stderr}`;
  if (!CONTRACT.includes(exitCode)) found.push(`exit code ${exitCode} is none of the contract's`);
  else if (!mayEndWith(leaf, exitCode)) found.push(`exit code ${exitCode} is not in its help`);
  const expected = draw.isPlain ? expectedCodes(leaf.path, draw.situation) : undefined;
  if (expected !== undefined && !expected.includes(exitCode)) {
    found.push(`exit code ${exitCode}, where ${expected.join(' or ')} is due`);
  }
  if (/\n\s+at \S.*[:(]/.test(said)) found.push('a stack trace was printed');
  if (/\[object |\bundefined\b/.test(stderr) || (/\bNaN\b/.test(stderr) && !draw.words.join(' ').includes('NaN')))
    found.push('it says what only a program understands');
  if (said.includes(KEY)) found.push('the API key was printed');
  if (REFUSED.includes(exitCode) && !TELLS_AS_DATA.includes(leaf.path)) found.push(...sentenceFlaws(stderr));
  if (draw.isJson) found.push(...jsonFlaws(draw, stdout, exitCode));
  if (paid > 0 && !SUBMITS.includes(leaf.path)) found.push(`${paid} paid requests by a command that never pays`);
  if (paid > 0 && REFUSED.includes(exitCode)) found.push(`${paid} paid requests by a command that was refused`);
  return found;
}

/** A wrong command line is 2 everywhere; Ctrl-C is 130 where a command follows. */
function mayEndWith({ exitCodes }: Leaf, exitCode: number): boolean {
  return exitCode === 2 || exitCodes.includes(exitCode);
}

function sentenceFlaws(stderr: string): string[] {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  const errors = lines.filter((line) => line.startsWith('error: '));
  if (errors.length === 0) return ['it failed without a sentence'];
  const last = lines.at(-1) ?? '';
  const isLast =
    last.startsWith('error: ') ||
    / shows what it takes\.$|^\(Did you mean|^\d+ rows? of \d+ settled$|^warning: /.test(last);
  const flaws = isLast ? [] : [`its last line is not the error: ${last.slice(0, 200)}`];
  const bare = errors.filter((line) => line.length < 'error: '.length + 8);
  return bare.length === 0 ? flaws : [...flaws, `no sentence: ${bare[0]}`];
}

function jsonFlaws({ leaf, words }: Draw, stdout: string, exitCode: number): string[] {
  const lines = stdout.split('\n').filter((line) => line !== '');
  const isStream = leaf.exitCodes.includes(130);
  const isKnown = leaf.options.some((option) => longOf(option) === '--json');
  const flaws: string[] = [];
  if (lines.length === 0 && !(exitCode === 130)) flaws.push('with --json nothing stands on standard output');
  // A server's one document is its address; a failed command says so after what it had to say.
  if (!isStream && isKnown && lines.length > (exitCode === 0 ? 1 : 2)) flaws.push(`${lines.length} lines of JSON`);
  for (const line of lines) {
    const schema = schemaOf(line);
    if (schema === 'no JSON') return [...flaws, `not JSON with ${words.join(' ')}: ${line.slice(0, 200)}`];
    if (schema === undefined) flaws.push(`JSON without a schema: ${line.slice(0, 200)}`);
  }
  return flaws;
}

function schemaOf(line: string): unknown {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && 'schema' in value ? value.schema : undefined;
  } catch {
    return 'no JSON';
  }
}
