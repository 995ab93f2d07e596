// What is typed for an argument or a flag: mostly something that fits, else something that people type by mistake.
import type { Argument, Option } from 'commander';
import type { Random } from '../../sim/engine/random.js';
import { KINDS } from '../../src/kinds/facts.js';
import { longOf, settingOf } from './commands.js';

/** What a draw can name. */
export interface Names {
  batch: string;
  rows: readonly string[];
  /** The manifest's file name. */
  manifest: string;
}

const JUNK = ['', '0', '-1', '1e3', 'NaN', 'x', '99999999999', '{"a":', '[]', 'é\u0007', './nowhere/x.json', '../..'];
const OTHER_BATCHES = ['nope', '../x', '', 'x'.repeat(130), 'ende', 'a b'];

/** The words for one argument of a command: with `fits` what it takes, else now and then something else. */
export function drawArgument(random: Random, argument: Argument, names: Names, fits: boolean): string[] {
  if (fits || random.chance(0.7)) return fittingArgument(random, argument, names);
  switch (argument.name()) {
    case 'batch':
      return [random.pick(OTHER_BATCHES)];
    case 'manifest':
      // Standard input has no name of its own: without --name that is a wrong command line.
      return [random.pick(['-', '-', 'nowhere.csv', '.', ''])];
    default:
      return [random.pick([...names.rows, names.batch, names.manifest, ...JUNK])];
  }
}

function fittingArgument(random: Random, argument: Argument, names: Names): string[] {
  if (argument.argChoices !== undefined) return [random.pick(argument.argChoices)];
  switch (argument.name()) {
    case 'batch':
      return [names.batch];
    case 'manifest':
      return [names.manifest];
    case 'row':
      return [random.pick(names.rows)];
    case 'rows':
      return random.chance(0.5) ? [...names.rows] : [random.pick(names.rows)];
    case 'row-and-handle':
      return [random.pick(names.rows), random.pick(['cgt-20260101-x7', 'op/1'])];
    case 'kind':
      return [random.pick(KINDS)];
    case 'code':
      return [random.pick(['B48', 'engine_error', 'answer_lost_undecided'])];
    default:
      return [random.pick([...names.rows, names.batch])];
  }
}

/** The words for one flag. A flag that nobody thought of here gets what the form of its setting, or chance, gives it. */
export function drawFlag(random: Random, option: Option, files: Readonly<Record<'good' | 'bad', string>>): string[] {
  const long = longOf(option);
  if (!option.required && !option.optional) return [long];
  if (option.optional && random.chance(0.5)) return [long];
  const fits = random.chance(0.65);
  const value = fits ? fitting(random, option, files) : random.pick([...JUNK, files.bad]);
  return option.optional || random.chance(0.3) ? [`${long}=${value}`] : [long, value];
}

const CLOSED = '127.0.0.1:9';

/** Nothing here names a place outside this machine. */
const BY_NAME: Readonly<Record<string, readonly string[]>> = {
  '--base-url': ['http://127.0.0.1:9', 'http://example.com', 'https://'],
  '--temporal-address': [CLOSED],
  '--endpoint': [`http://${CLOSED}`],
  '--listen': ['127.0.0.1:0', CLOSED],
  '--callback-url': ['https://hooks.example.com/x', 'http://hooks.example.com'],
  '--out': ['./out', './other', '/dev/null/nowhere'],
  '--data': ['./other-data', '/dev/null/nowhere'],
  '--home': ['./other-home', '/dev/null/nowhere'],
  '--account': ['default', 'other', '../x'],
  '--ambiguity': ['hold', 'if-proved', 'always'],
  '--on-exists': ['fail', 'skip', 'version'],
  '--name-template': ['{id}', '{group}/{id}', '../{id}'],
  '--max-failures': ['1', '10%', '0'],
  '--name': ['another', '../x'],
  '--kind': ['svc/image', 'svc/imagine'],
  '--class': ['provider', 'moderation', 'answer_lost_undecided'],
  '--retry-failed': ['provider', 'nothing'],
  '--delimiter': [';', '\\t', ',,'],
  '--port': ['0', '70000'],
  '--ui-port': ['0', '70000'],
  '--speed': ['60', '0.5'],
};

function fitting(random: Random, option: Option, files: Readonly<Record<'good' | 'bad', string>>): string {
  const named = option.argChoices ?? BY_NAME[longOf(option)];
  if (named !== undefined) return random.pick(named);
  if (/<(file|path)>/.test(option.flags)) return random.chance(0.7) ? files.good : files.bad;
  if (option.flags.includes('<folder>')) return random.pick(['.', './other']);
  switch (settingOf(option)?.form) {
    case 'integer':
    case 'number':
      return random.pick(['1', '2', '60']);
    case 'credits':
      return random.pick(['0.0001', '5', '1000']);
    case 'json':
      return random.pick(['[]', '{}', files.good]);
    default:
      return random.pick(['1', 'x', 'because', files.good]);
  }
}
