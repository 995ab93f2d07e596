// The situations that a command can meet, and which exit codes the contract leaves it there.
import type { LeftBehind } from './stage.js';

export interface Situation {
  name: string;
  /** What lies in the home. */
  home: LeftBehind | 'nothing';
  /** Who answers at the base URL. */
  service: 'fine' | 'away' | 'refuses the key';
  /** What is wrong with the home. */
  disk?: 'a file in its place' | 'read-only' | 'full' | 'a damaged document';
  /** The engine runs, and a batch of this draw stands so. */
  live?: 'nothing runs' | 'running' | 'paused' | 'cancelling' | 'another build' | 'other settings';
}

const left = (name: string, home: Situation['home'], more: Partial<Situation> = {}): Situation => ({
  ...{ name, home, service: 'fine' },
  ...more,
});
const live = (state: NonNullable<Situation['live']>): Situation => left(`live: ${state}`, 'nothing', { live: state });

/** Those without an engine come at a hundredth of the price, and so more often. */
export const SITUATIONS: readonly { situation: Situation; weight: number }[] = [
  { weight: 10, situation: left('no batch', 'nothing') },
  { weight: 14, situation: left('ended', 'ended') },
  { weight: 14, situation: left('ended with review', 'review') },
  { weight: 14, situation: left('ended with failed rows', 'failed') },
  { weight: 12, situation: left('engine down', 'open') },
  { weight: 2, situation: left('service away', 'failed', { service: 'away' }) },
  { weight: 6, situation: left('key refused', 'failed', { service: 'refuses the key' }) },
  { weight: 6, situation: left('home is a file', 'nothing', { disk: 'a file in its place' }) },
  { weight: 6, situation: left('home read-only', 'failed', { disk: 'read-only' }) },
  { weight: 6, situation: left('disk full', 'failed', { disk: 'full' }) },
  { weight: 10, situation: left('damaged document', 'review', { disk: 'a damaged document' }) },
  { weight: 1, situation: live('nothing runs') },
  { weight: 1, situation: live('running') },
  { weight: 1, situation: live('paused') },
  { weight: 1, situation: live('cancelling') },
  { weight: 1, situation: live('another build') },
  { weight: 1, situation: live('other settings') },
];

type Codes = readonly number[];

const NOTHING: Codes = [0];
/** Of commands that look at no batch and ask nobody. */
const ALONE = { else: NOTHING };
const READS_SERVICE = { else: [0], 'service away': [5], 'key refused': [4] };
/** Of commands that read one batch from the home; a damaged document is named, or made good. */
const READS_BATCH = {
  ...{ else: [0], 'no batch': [2], 'live: nothing runs': [2], 'home is a file': [4], 'damaged document': [0, 2, 4] },
};
const CHANGES_BATCH = { ...READS_BATCH, 'home read-only': [4], 'disk full': [4] };
const READS_HOME = { else: [0], 'home is a file': [4], 'damaged document': [0, 1, 4] };

/**
 * By command and situation, for commands that are used as they are meant to be. Without an entry what the help of the
 * command lists is all that is known.
 */
const EXPECTED: Readonly<Record<string, Readonly<Record<string, Codes>>>> = {
  kinds: ALONE,
  init: ALONE,
  // --json and --markdown exclude each other.
  explain: { else: [0, 2] },
  completion: ALONE,
  emulator: ALONE,
  'config show': ALONE,
  credits: READS_SERVICE,
  discounts: READS_SERVICE,
  voices: READS_SERVICE,
  // An example needs no home.
  prices: { ...READS_HOME, 'home is a file': [0, 4] },
  list: READS_HOME,
  'review list': { ...READS_HOME, 'no batch': [0, 2], 'live: nothing runs': [0, 2], 'damaged document': [0, 2, 4] },
  'ledger verify': READS_HOME,
  status: { ...READS_BATCH, 'engine down': [7], 'damaged document': [0, 2, 4, 7] },
  results: CHANGES_BATCH,
  cancel: CHANGES_BATCH,
  watch: {
    ...READS_BATCH,
    ...{ 'ended with review': [3], 'ended with failed rows': [1], 'service away': [1], 'key refused': [1] },
    ...{ 'home read-only': [1], 'disk full': [1], 'damaged document': [0, 1, 2, 3, 4], 'engine down': [4] },
    ...{ 'live: running': [0, 130], 'live: paused': [130], 'live: cancelling': [1, 130] },
    ...{ 'live: another build': [0, 130], 'live: other settings': [0, 130] },
  },
  pause: { 'live: running': [0], 'live: paused': [0], 'live: another build': [0], 'no batch': [2] },
  doctor: {
    ...{ else: [0], 'service away': [4], 'key refused': [4], 'home is a file': [4], 'home read-only': [4] },
    ...{ 'disk full': [4], 'damaged document': [0, 4] },
  },
  'engine status': ALONE,
  'engine stop': ALONE,
};

/** What a command that is used as it is meant to be may end with; undefined where that hangs on more than is known. */
export function expectedCodes(path: string, situation: Situation): readonly number[] | undefined {
  const known = EXPECTED[path];
  return known?.[situation.name] ?? known?.else;
}
