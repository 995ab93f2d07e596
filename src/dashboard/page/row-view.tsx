// One row: what was asked for, what happened, what it cost, what came, and how it is settled.

import type { ChainLink, ShownRow } from '../answers';
import { Media } from './gallery';
import { Heading } from './heading';
import type { OrderRequest } from './order-dialog';
import { Chip, credits, date, Fact, Facts, Failed, number, useAnswer } from './parts';
import { Settle } from './settle';
import type { RowFacts, Shown } from './types';

interface RowViewProps {
  batch: string;
  id: string;
  version: number;
  order: (request: OrderRequest) => void;
}

export function RowView({ batch, id, version, order }: RowViewProps) {
  const { answer, failed } = useAnswer<RowFacts>(`/batches/${batch}/rows/${id}`, version);
  if (answer === undefined) return <Failed text={failed} />;
  const { row, chain, asked, request, shown, explanation } = answer;
  return (
    <article aria-labelledby="row">
      <Heading level="h2" id="row" of={row.id}>
        {row.title}
      </Heading>
      <Facts>
        <Fact name="Status">
          <Chip status={row.status} />
        </Fact>
        <Fact name="Kind">{row.kind}</Fact>
        <Fact name="Credits">{credits(row.credits)}</Fact>
        <Fact name="Submitted">{date(row.submittedAtMs)}</Fact>
        <Fact name="Ended">{date(row.finishedAtMs)}</Fact>
        {shown?.handle == null ? null : <Fact name="Handle">{shown.handle}</Fact>}
      </Facts>
      {row.reason === '' ? null : <p class="words">{row.reason}</p>}
      {explanation === null ? null : (
        <p class="notice">{`${explanation.code}: ${explanation.meaning} ${explanation.advice}`}</p>
      )}
      {shown === null ? null : <Settle row={row} shown={shown} order={order} />}
      {row.files.map((file) => (
        <figure key={file.file}>
          <Media file={file} label={row.title} isWhole />
          <figcaption class="words">{`${file.file}, ${number(file.bytes)} bytes, sha256 ${file.sha256}`}</figcaption>
        </figure>
      ))}
      {row.status === 'done' ? <Again id={id} feeds={chain.feeds.length > 0} order={order} /> : null}
      <Chain batch={batch} title="Fed by" links={chain.fedBy} />
      <Chain batch={batch} title="Feeds" links={chain.feeds} />
      <h3>Asked for</h3>
      <Facts>
        {Object.entries(asked ?? {}).map(([name, value]) => (
          <Fact key={name} name={name}>
            {typeof value === 'string' ? value : JSON.stringify(value)}
          </Fact>
        ))}
      </Facts>
      {request === null ? null : (
        <>
          <h3>{shown === null ? 'Request, as it will be sent' : 'Request, as it was sent'}</h3>
          <p class="words">{`${request.method} ${request.path}`}</p>
          <pre class="words">{JSON.stringify(request.body, null, 2)}</pre>
        </>
      )}
      <h3>Attempts</h3>
      {shown === null ? <p>Nothing was sent yet.</p> : <Attempts shown={shown} row={row} />}
    </article>
  );
}

function Again({ id, feeds, order }: { id: string; feeds: boolean; order: (request: OrderRequest) => void }) {
  const again = (label: string, effect: string, withDependents: boolean) => (
    <button type="button" onClick={() => order({ order: 'rerun', label, effect, body: { id, withDependents } })}>
      {label}
    </button>
  );
  return (
    <p class="buttons">
      {again('Render it again', 'Another render, which is paid; both files are kept.', false)}
      {feeds
        ? again(
            'Render it and what it feeds again',
            'Another render of each, which are paid; all files are kept.',
            true,
          )
        : null}
    </p>
  );
}

function Chain({ batch, title, links }: { batch: string; title: string; links: ChainLink[] }) {
  if (links.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul>
        {links.map((link) => (
          <li key={link.id}>
            <a href={`#/b/${batch}/row/${link.id}`}>{link.title}</a> <Chip status={link.status} />
          </li>
        ))}
      </ul>
    </>
  );
}

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
function Attempts({ shown, row: { status, files, finishedAtMs } }: { shown: Shown; row: ShownRow }) {
  const states = shown.attempts.flatMap(({ n, states }) => states.map((state) => ({ n, state })));
  const isPolled = states.some(({ state }) => state.state === 'created');
  return (
    <>
      <ol class="line">
        {states.map(({ n, state: { state, at, atMs, ...more } }, i) => (
          <li key={`${n}-${i}`}>
            <strong>{STEPS[String(state)] ?? String(state)}</strong>{' '}
            <span class="soft">{`attempt ${n}, ${date((at ?? atMs ?? null) as string)}`}</span>
            <pre class="words">{JSON.stringify(more, null, 1).replace(/^\{\n?|\n?\}$/g, '')}</pre>
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
