// The rows of a batch: the server chooses, sorts and pages.
import { useState } from 'preact/hooks';
import type { ShownRow } from '../answers';
import { Chip, credits, date, Failed, number, useAnswer } from './parts';
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

export function Filters({
  facets,
  chosen,
  choose,
}: {
  facets: Batch['facets'];
  chosen: Record<string, string>;
  choose: (name: string, value: string) => void;
}) {
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
            <select value={chosen[name] ?? ''} onChange={(event) => choose(name, event.currentTarget.value)}>
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
        <input type="search" value={chosen.text ?? ''} onInput={(event) => choose('text', event.currentTarget.value)} />
      </label>
      {facets === null ? <span role="status">reading all rows: more to choose by comes with them</span> : null}
    </search>
  );
}

/** A page of the rows that were chosen; `more` is what a view asks for besides. */
export function useRows(batch: string, version: number, limit: number, more: Record<string, string>) {
  const [chosen, setChosen] = useState<Record<string, string>>({});
  const [offset, setOffset] = useState(0);
  const query = new URLSearchParams({ ...chosen, ...more, offset: String(offset), limit: String(limit) });
  const { answer, failed } = useAnswer<{ total: number; rows: ShownRow[] }>(`/batches/${batch}/rows?${query}`, version);
  const choose = (name: string, value: string): void => {
    setChosen({ ...chosen, [name]: value });
    setOffset(0);
  };
  const pages = { total: answer?.total ?? 0, offset, limit, go: setOffset };
  return { rows: answer?.rows ?? [], failed, chosen, choose, pages };
}

export function RowTable({ batch, facets, version }: { batch: string; facets: Batch['facets']; version: number }) {
  const [sort, setSort] = useState({ by: 'index', isUp: true });
  const order = { sort: sort.by, direction: sort.isUp ? 'up' : 'down' };
  const { rows, failed, chosen, choose, pages } = useRows(batch, version, LIMIT, order);
  return (
    <section aria-labelledby="rows">
      <h2 id="rows">Rows</h2>
      <Filters facets={facets} chosen={chosen} choose={choose} />
      <Failed text={failed} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard. */}
      <section class="scroll" aria-label="Table of rows" tabIndex={0}>
        <table>
          <thead>
            <tr>
              {COLUMNS.map(([name, label]) => (
                <th
                  key={name}
                  scope="col"
                  aria-sort={sort.by !== name ? 'none' : sort.isUp ? 'ascending' : 'descending'}
                >
                  <button
                    type="button"
                    onClick={() => setSort({ by: name, isUp: sort.by === name ? !sort.isUp : true })}
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
                  <Chip status={row.status} />
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
