// The rows of a batch: the server chooses, sorts and pages.
import type { ShownRow } from '../answers';
import { Heading } from './heading';
import { credits, date, Failed, number, Standing, useAnswer } from './parts';
import { choose, type Place } from './place';
import type { Batch } from './types';

const LIMIT = 50;
const COLUMNS = [
  ['id', 'Row'],
  ['status', 'Status'],
  ['kind', 'Kind'],
  ['group', 'Group'],
  ['reasonCode', 'Reason'],
  ['credits', 'Credits'],
  ['finishedAtMs', 'Ended'],
] as const;

export function Filters({ facets, chosen }: { facets: Batch['facets']; chosen: Place['chosen'] }) {
  // Fewer rows have other pages: the first one is shown.
  const filter = (name: string, value: string): void => choose({ [name]: value, offset: '' });
  const lists = [
    ['status', 'Status', facets?.status ?? []],
    ['kind', 'Kind', facets?.kind ?? []],
    ['group', 'Group', facets?.group ?? []],
    ['reason', 'Reason', facets?.reasonCode ?? []],
  ] as const;
  return (
    <search class="filters">
      {lists.map(([name, label, values]) =>
        values.length === 0 ? null : (
          <label key={name}>
            {label}
            <select value={chosen[name] ?? ''} onChange={(event) => filter(name, event.currentTarget.value)}>
              <option value="">all</option>
              {values.map(([value, count]) => (
                <option key={value} value={value}>{`${value} (${number(count)})`}</option>
              ))}
            </select>
          </label>
        ),
      )}
      <label>
        Text
        <input type="search" value={chosen.text ?? ''} onInput={(event) => filter('text', event.currentTarget.value)} />
      </label>
      {facets === null ? <span role="status">reading all rows: more to choose by comes with them</span> : null}
    </search>
  );
}

const FILTERS = ['status', 'kind', 'group', 'reason', 'text'];

interface RowsAnswer {
  total: number;
  offset: number;
  rows: ShownRow[];
}

/** A page of the rows that were chosen; `more` is what a view asks for besides. */
export function useRows({ batch, chosen }: Place, version: number, limit: number, more: Record<string, string>) {
  const offset = Math.max(0, Number.parseInt(chosen.offset ?? '', 10) || 0);
  const filters = Object.entries(chosen).filter(([name]) => FILTERS.includes(name));
  const query = new URLSearchParams({
    ...Object.fromEntries(filters),
    ...more,
    offset: `${offset}`,
    limit: `${limit}`,
  });
  const { answer, failed } = useAnswer<RowsAnswer>(`/batches/${batch}/rows?${query}`, version);
  const go = (to: number): void => choose({ offset: to === 0 ? '' : String(to) });
  const pages = { total: answer?.total ?? 0, offset, loadedOffset: answer?.offset, limit, go };
  return { rows: answer?.rows ?? [], failed, pages };
}

export interface RowsProps {
  place: Place;
  facets: Batch['facets'];
  version: number;
}

export function RowTable({ place, facets, version }: RowsProps) {
  const { batch, chosen } = place;
  const sort = COLUMNS.find(([name]) => name === chosen.sort)?.[0] ?? 'index';
  const isUp = chosen.direction !== 'down';
  const { rows, failed, pages } = useRows(place, version, LIMIT, { sort, direction: isUp ? 'up' : 'down' });
  return (
    <section aria-labelledby="rows">
      <Heading level="h2" id="rows">
        Rows
      </Heading>
      <Filters facets={facets} chosen={chosen} />
      <Failed text={failed} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard. */}
      <section class="scroll" aria-label="Table of rows" tabIndex={0}>
        <table>
          <thead>
            <tr>
              {COLUMNS.map(([name, label]) => (
                <th key={name} scope="col" aria-sort={sort !== name ? 'none' : isUp ? 'ascending' : 'descending'}>
                  <button
                    type="button"
                    onClick={() => choose({ sort: name, direction: sort === name && isUp ? 'down' : '' })}
                  >
                    {label}
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody onKeyDown={moveByKey}>
            {rows.map((row) => (
              <tr key={row.id}>
                <th scope="row">
                  <a href={`#/b/${batch}/row/${row.id}`}>{row.title}</a>
                </th>
                <td>
                  <Standing row={row} />
                </td>
                <td>{row.kind}</td>
                <td class="words">{row.group}</td>
                <td>{row.reasonCode}</td>
                <td class="right">{credits(row.credits)}</td>
                <td>{date(row.finishedAtMs)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <Pages {...pages} />
    </section>
  );
}

/** Arrow up and down go from row to row. */
function moveByKey(event: KeyboardEvent): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  const links = [...document.querySelectorAll<HTMLElement>('tbody a')];
  const next = links[links.indexOf(document.activeElement as HTMLElement) + step];
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}

interface PagesProps {
  total: number;
  offset: number;
  limit: number;
  go: (offset: number) => void;
}

export function Pages({ total, offset, limit, go }: PagesProps) {
  const last = Math.min(total, offset + limit);
  return (
    <p class="buttons">
      <button type="button" disabled={offset === 0} onClick={() => go(Math.max(0, offset - limit))}>
        Earlier
      </button>
      <span role="status">{total === 0 ? 'No row' : `${number(offset + 1)}–${number(last)} of ${number(total)}`}</span>
      <button type="button" disabled={last >= total} onClick={() => go(offset + limit)}>
        Later
      </button>
    </p>
  );
}
