// One row: what was asked for, what happened, what it cost, what came, and how it is settled.

import type { ChainLink } from '../answers';
import { Attempts } from './attempts';
import { Media } from './gallery';
import { Heading } from './heading';
import type { OrderRequest } from './order-dialog';
import { Chip, credits, date, Fact, Facts, Failed, number, Standing, useAnswer } from './parts';
import { Settle } from './settle';
import type { RowFacts } from './types';

interface RowViewProps {
  batch: string;
  id: string;
  version: number;
  order: (request: OrderRequest) => void;
}

export function RowView({ batch, id, version, order }: RowViewProps) {
  const { answer, failed } = useAnswer<RowFacts>(`/batches/${batch}/rows/${id}`, version);
  if (answer === undefined) return <Failed text={failed} />;
  const { row, chain, waits, asked, request, shown, explanations } = answer;
  return (
    <article aria-labelledby="row">
      <Heading level="h2" id="row" of={row.id}>
        {row.title}
      </Heading>
      <Failed text={failed} />
      <Facts>
        <Fact name="Status">
          <Standing row={row} />
        </Fact>
        <Fact name="Kind">{row.kind}</Fact>
        <Fact name="Credits">{credits(row.credits)}</Fact>
        <Fact name="Submitted">{date(row.submittedAtMs)}</Fact>
        <Fact name="Ended">{date(row.finishedAtMs)}</Fact>
        {shown?.handle == null ? null : <Fact name="Handle">{shown.handle}</Fact>}
      </Facts>
      {row.reason === '' ? null : <p class="words">{row.reason}</p>}
      {waits === null ? null : <p class="notice">{waits}</p>}
      {explanations.map(({ code, meaning, advice }) => (
        <p key={code} class="notice">{`${code}: ${meaning} ${advice}`}</p>
      ))}
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
