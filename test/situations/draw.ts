// One draw: a command with its arguments and flags, in one situation, on manifests of its own. It follows from its seed.
import { createRandom, type Random } from '../../sim/engine/random.js';
import { isHarmless, type Leaf, longOf } from './commands.js';
import { type DrawnManifest, drawManifest } from './manifests.js';
import { ROWS } from './stage.js';
import { SITUATIONS, type Situation } from './table.js';
import { drawArgument, drawFlag, type Names } from './values.js';

export interface Draw {
  number: number;
  situation: Situation;
  leaf: Leaf;
  words: string[];
  /** The command is used as it is meant to be: what it ends with follows from the situation. */
  isPlain: boolean;
  isJson: boolean;
  names: Names;
  manifest: DrawnManifest;
  /** What an editor saves in its place while the command runs, after so long. */
  edited: { manifest: DrawnManifest; afterMs: number } | undefined;
  stdin: string;
  interruptAfterMs: number;
  /** For what the situation itself leaves open. */
  random: Random;
}

/** Files that lie in the working folder. */
export const FILES = { good: 'good.json', bad: 'bad.json' };

/** Commands that stay until somebody ends them. */
const SERVERS = ['emulator', 'dev', 'worker', 'callbacks'];

export function drawOne(seed: number, number: number, leaves: readonly Leaf[]): Draw {
  const random = createRandom(`${seed}/${number}`);
  const situation = weighted(random);
  // Commands take turns, and so do the flags of each: by the hundredth turn no flag of any command was left out.
  const turn = Math.floor(number / leaves.length);
  const leaf = leaves[number % leaves.length] ?? random.pick(leaves);
  const batch =
    situation.live !== undefined ? `live${number}` : situation.home === 'nothing' ? 'shots' : situation.home;
  const wanted = situation.home === 'nothing' ? ROWS.ended : ROWS[situation.home];
  const stem = random.chance(0.8) ? batch : 'another';
  const manifest = drawManifest(random.fork('manifest'), stem, wanted);
  const later = drawManifest(random.fork('edited'), stem, wanted);
  const names = { batch, rows: wanted.map(({ id }) => id ?? ''), manifest: manifest.name };
  const typed = typedWords(random, leaf, names, turn);
  const edited = { manifest: { ...later, name: manifest.name }, afterMs: random.int(0, 400) };
  return {
    ...{ number, situation, leaf, names, manifest, random },
    words: [...leaf.path.split(' '), ...typed.words],
    isPlain: typed.isPlain,
    isJson: typed.words.includes('--json'),
    edited: random.chance(0.2) ? edited : undefined,
    stdin: random.chance(0.3) ? manifest.text : '',
    interruptAfterMs: SERVERS.includes(leaf.path) ? 250 : situation.live === undefined ? 8_000 : random.int(300, 3_000),
    random: random.fork('situation'),
  };
}

function weighted(random: Random): Situation {
  const total = SITUATIONS.reduce((sum, { weight }) => sum + weight, 0);
  let at = random.between(0, total);
  for (const { situation, weight } of SITUATIONS) {
    at -= weight;
    if (at < 0) return situation;
  }
  throw new RangeError('the weights do not add up');
}

/** In every other turn nothing is wrong but what the situation makes so. */
function typedWords(random: Random, leaf: Leaf, names: Names, turn: number): { words: string[]; isPlain: boolean } {
  const isPlain = turn % 2 === 0;
  const words: string[] = [];
  for (const argument of leaf.command.registeredArguments) {
    if (!argument.required && random.chance(0.4)) continue;
    words.push(...drawArgument(random, argument, names, isPlain));
  }
  if (!isPlain && random.chance(0.05)) words.push(random.pick(['extra', '--no-such-flag', '--']));
  const flag = (long: string, probability: number): void => {
    if (leaf.options.some((option) => longOf(option) === long) && random.chance(probability)) words.push(long);
  };
  flag('--json', 0.5);
  flag('--yes', 0.6);
  const others = leaf.options.filter((option) => !['--json', '--yes'].includes(longOf(option)));
  const choice = isPlain ? others.filter(isHarmless) : others;
  const inTurn = choice[Math.floor(turn / 2) % Math.max(1, choice.length)];
  // Of commands with a flag or two, plain use is mostly without them.
  const drawn = isPlain && random.chance(0.6) ? [] : [inTurn];
  if (choice.length > 0 && random.chance(0.4)) drawn.push(random.pick(choice));
  for (const option of drawn) if (option !== undefined) words.push(...drawFlag(random, option, FILES));
  return { words, isPlain };
}
