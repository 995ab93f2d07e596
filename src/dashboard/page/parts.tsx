// Small pieces that every view uses.
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { ShownRow } from '../answers';
import { ask } from './session';
import type { Status } from './types';

const whole = new Intl.NumberFormat();
const decimals = new Intl.NumberFormat(undefined, { maximumFractionDigits: 4 });
const tenths = new Intl.NumberFormat(undefined, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const dates = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

export const number = (value: number): string => whole.format(value);
export const credits = (value: string | number | null): string =>
  value === null ? '–' : decimals.format(Number(value));
export const date = (at: string | number | null): string => (at === null ? '–' : dates.format(new Date(at)));
export const rows = (count: number): string => `${number(count)} ${count === 1 ? 'row' : 'rows'}`;

/** A duration to the nearest unit that a person would say. */
export function duration(seconds: number): string {
  if (seconds < 90) return `${number(Math.ceil(seconds))} s`;
  return seconds < 5_400 ? `${number(Math.round(seconds / 60))} min` : `${tenths.format(seconds / 3_600)} h`;
}

/** What a path answers, asked again whenever `version` changes; the last answer stays while the next one comes. */
export function useAnswer<T>(path: string, version: number): { answer?: T; failed?: string } {
  const [state, setState] = useState<{ path: string; answer?: T; failed?: string }>({ path });
  useEffect(() => {
    let isOver = false;
    ask<T>(path).then(
      (answer) => isOver || setState({ path, answer }),
      (error: Error) => isOver || setState((last) => ({ ...last, path, failed: error.message })),
    );
    return () => {
      isOver = true;
    };
  }, [path, version]);
  return state;
}

export function Failed({ text }: { text: string | undefined }) {
  return text === undefined ? null : (
    <p class="failed" role="alert">
      {text}
    </p>
  );
}

export function Chip({ status }: { status: string }) {
  return <span class={`chip is-${status}`}>{status.replaceAll('_', ' ')}</span>;
}

/** The status of a row with its flags: what is done with an earlier input is not done as the others are. */
export function Standing({ row: { status, flags } }: { row: Pick<ShownRow, 'status' | 'flags'> }) {
  return (
    <>
      {[status, ...flags].map((word) => (
        <span key={word}>
          <Chip status={word} />{' '}
        </span>
      ))}
    </>
  );
}

const ORDER = ['done', 'downloading', 'rendering', 'submitting', 'checking', 'waiting', 'not_started', 'skipped'];

/** Rows by status as one bar, with the same in words. */
export function Bar({ status: { rows: total, counts, live } }: { status: Status }) {
  const all = Object.entries({ ...counts, ...live }).filter(([, count]) => count > 0);
  const place = (word: string): number => ORDER.indexOf(word) + 1 || ORDER.length + 1;
  const shown = all.sort(([a], [b]) => place(a) - place(b));
  const words = shown.map(([word, count]) => `${number(count)} ${word.replace('_', ' ')}`).join(', ');
  return (
    <div>
      <div class="bar" aria-hidden="true">
        {shown.map(([word, count]) => (
          <span key={word} class={`is-${word}`} style={{ width: `${(100 * count) / Math.max(1, total)}%` }} />
        ))}
      </div>
      <p class="soft">{words || 'no row'}</p>
    </div>
  );
}

export function Facts({ children }: { children: ComponentChildren }) {
  return <dl class="facts">{children}</dl>;
}

export function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

export const WIDTH = 960;
export const HEIGHT = 140;

interface FigureProps {
  said: string;
  /** For who does not see it; what is said where it is not given. */
  label?: string;
  height: number;
  fromMs: number;
  toMs: number;
  children: ComponentChildren;
  below?: ComponentChildren;
}

/** A drawing over time, with what it shows in words. */
export function Figure({ said, label = said, height, fromMs, toMs, children, below }: FigureProps) {
  return (
    <figure>
      <figcaption>{said}</figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${height}`} role="img" aria-label={label}>
        {children}
      </svg>
      <p class="soft">{`${date(fromMs)} to ${date(toMs)}`}</p>
      {below}
    </figure>
  );
}

/** What the plan allows, as a line across a drawing whose highest value is `top`. */
export function Limit({ limit, top }: { limit: number | null; top: number }) {
  const y = HEIGHT - (HEIGHT * (limit ?? 0)) / top;
  return limit === null ? null : <line class="limit" x1="0" x2={WIDTH} y1={y} y2={y} />;
}
