// What was recorded of a row's attempts, for people.

import type { ShownRow } from '../answers';
import { date } from './parts';
import type { Shown } from './types';

const STEPS: Record<string, string> = {
  intent: 'claimed, then sent',
  void: 'not sent',
  refused: 'answered: refused',
  created: 'answered: accepted',
  done: 'answered with its output',
  unknown: 'no whole answer',
  created_lost: 'accepted, without a whole answer',
  verdict: 'verdict by the credits check',
  attached: 'handle given by a person',
  ruled: 'settled by a person',
  overridden: 'another attempt allowed',
  rendered: 'a poll says: rendered',
  ended: 'a poll says: ended without output',
};

/** Every record of every attempt in the order of time, and what was stored in the end. */
export function Attempts({ shown, row: { status, files, finishedAtMs } }: { shown: Shown; row: ShownRow }) {
  const states = shown.attempts.flatMap(({ n, states }) => states.map((state) => ({ n, state })));
  const isPolled = states.some(({ state }) => state.state === 'created');
  return (
    <>
      <ol class="line">
        {states.map(({ n, state: { state, at, atMs, ...more } }, i) => (
          <li key={`${n}-${i}`}>
            <strong>{STEPS[String(state)] ?? String(state)}</strong>{' '}
            <span class="soft">{`attempt ${n}, ${date((at ?? atMs ?? null) as string)}`}</span>
            <Lines record={more} />
          </li>
        ))}
        {status === 'done' && files.length > 0 ? (
          <li>
            <strong>downloaded and stored</strong> <span class="soft">{date(finishedAtMs)}</span>
            <p class="words">{files.map(({ file }) => file).join(', ')}</p>
          </li>
        ) : null}
      </ol>
      {isPolled ? <p class="soft">Of polls, only the one that ended the job is kept.</p> : null}
    </>
  );
}

type Names = (name: string, value: unknown) => [name: string, text: string | undefined];

/** A record with a line for each of its facts; what has parts is a list below its name. */
function Lines({ record, wordsOf = ledgerWords }: { record: object; wordsOf?: Names }) {
  return (
    <dl class="record">
      {Object.entries(record).map(([key, value]) => {
        const [name, text] = wordsOf(key, value);
        return (
          <div key={key}>
            <dt>{name}</dt>
            <dd>{text ?? <Parts value={value} wordsOf={key === 'usage' ? serviceWords : wordsOf} />}</dd>
          </div>
        );
      })}
    </dl>
  );
}

function Parts({ value, wordsOf }: { value: unknown; wordsOf: Names }) {
  if (typeof value !== 'object' || value === null) return plainText(value);
  if (!Array.isArray(value)) return <Lines record={value} wordsOf={wordsOf} />;
  return (
    <ol>
      {value.map((one, i) => (
        <li key={i}>
          <Parts value={one} wordsOf={wordsOf} />
        </li>
      ))}
    </ol>
  );
}

function plainText(value: unknown): string | undefined {
  if (value === null) return 'not known';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'object') return Object.keys(value).length === 0 ? 'none' : undefined;
  return String(value);
}

const exact = new Intl.NumberFormat(undefined, { maximumFractionDigits: 12 });
const inUnit = (unit: string, divisor = 1) => {
  return (value: number): string => `${exact.format(value / divisor)} ${unit}`;
};
/** By the end of a name in the ledger: the name in words, and its number with its unit. */
const UNITS: [end: RegExp, words: string, text: (value: number) => string][] = [
  [/^atMs$/, 'at', date],
  [/Ms$/, '', inUnit('seconds', 1_000)],
  [/Seconds$/, '', inUnit('seconds')],
  [/^nano$/, 'credits', (value) => exact.format(value / 1e9)],
  [/^lo$/, 'at least', inUnit('credits', 1e9)],
  [/^hi$/, 'at most', inUnit('credits', 1e9)],
  [/^width$|^height$/, '$&', inUnit('pixels')],
  [/^frameRate$/, 'frame rate', inUnit('frames per second')],
];

/** Names and numbers of the ledger, whose units are known. */
function ledgerWords(key: string, value: unknown): ReturnType<Names> {
  const unit = UNITS.find(([end]) => end.test(key));
  const name = (unit === undefined ? key : key.replace(unit[0], unit[1])).replace(
    /[A-Z]/g,
    (one) => ` ${one.toLowerCase()}`,
  );
  return [name.trim(), unit !== undefined && typeof value === 'number' ? unit[2](value) : plainText(value)];
}

/** What the service said of a job's use stays as it said it: nobody knows its units. */
function serviceWords(key: string, value: unknown): ReturnType<Names> {
  return [key, typeof value === 'object' && value !== null ? plainText(value) : String(value)];
}
