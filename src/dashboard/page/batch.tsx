// One batch: how it stands, its orders, and one of its views.

import { useEffect, useRef, useState } from 'preact/hooks';
import { Summary } from './batches';
import { Gallery } from './gallery';
import { Heading } from './heading';
import { OrderDialog, type OrderRequest } from './order-dialog';
import { mendOf, ordersOf } from './orders';
import { Chip, Fact, Facts, Failed, rows, useAnswer } from './parts';
import type { Place } from './place';
import { RowView } from './row-view';
import { RowTable } from './rows';
import { TimeView } from './time-view';
import type { Batch } from './types';

/** How soon a batch is asked for again whose rows are still being read. */
const READ_AGAIN_MS = 1_000;

export function BatchView({ place, version }: { place: Place; version: number }) {
  const [given, setGiven] = useState(0);
  const [request, setRequest] = useState<OrderRequest>();
  const [said, setSaid] = useState('');
  const answered = useRef<HTMLParagraphElement>(null);
  const { answer, failed } = useAnswer<Batch>(`/batches/${place.batch}`, version + given);
  const isRead = answer === undefined || (answer.facets !== null && !answer.isBehind);
  useEffect(() => {
    const timer = isRead ? undefined : setTimeout(() => setGiven((last) => last + 1), READ_AGAIN_MS);
    return () => clearTimeout(timer);
  }, [isRead, given]);
  // What an order said was read where it was given; a filter or another page of the rows is the same place.
  useEffect(() => setSaid(''), [place.view, place.id]);
  const close = (text?: string): void => {
    setRequest(undefined);
    setGiven(given + 1);
    if (text === undefined) return;
    setSaid(text);
    // The button that opened the dialog may go with what the order changes.
    answered.current?.focus();
  };
  if (answer === undefined) return <Failed text={failed} />;
  const { status } = answer;
  return (
    <>
      <Heading level="h1">{status.batch}</Heading>
      <p ref={answered} role="status" class="said" tabIndex={-1}>
        {said}
      </p>
      <Failed text={failed} />
      <Summary status={status} />
      <Quote lines={answer.quote} />
      <p class="buttons">
        {ordersOf(status).map((one) => (
          <button key={one.label} type="button" onClick={() => setRequest(one)}>
            {one.label}
          </button>
        ))}
      </p>
      <nav aria-label="Views of the batch" class="tabs">
        {(['rows', 'gallery', 'time'] as const).map((view) => (
          <a key={view} href={`#/b/${place.batch}/${view}`} aria-current={place.view === view ? 'page' : undefined}>
            {{ rows: 'Rows', gallery: 'Gallery', time: 'Time' }[view]}
          </a>
        ))}
      </nav>
      <View place={place} answer={answer} version={version + given} order={setRequest} />
      {request === undefined ? null : <OrderDialog batch={place.batch} request={request} close={close} />}
    </>
  );
}

/** What the sample cost, and what the rest would: as the command line and the report say it. */
function Quote({ lines }: { lines: Batch['quote'] }) {
  if (lines.length === 0) return null;
  return (
    <section aria-labelledby="quote">
      <h2 id="quote">The sample and the rest</h2>
      <Facts>
        {lines.map(([name, text]) => (
          <Fact key={text} name={LINES[name] ?? name}>
            {text}
          </Fact>
        ))}
      </Facts>
    </section>
  );
}

const LINES: Record<string, string> = { sample: 'Sample', measured: 'Measured', quote: 'The rest' };

interface ViewProps {
  place: Place;
  answer: Batch;
  version: number;
  order: (request: OrderRequest) => void;
}

function View({ place, answer, version, order }: ViewProps) {
  const { batch, view, id } = place;
  // Of another row nothing is left standing: its orders would be given for what this address names.
  if (view === 'row') return <RowView key={id} batch={batch} id={id} version={version} order={order} />;
  if (view === 'gallery') return <Gallery place={place} facets={answer.facets} version={version} />;
  if (view === 'time') return <TimeView batch={batch} version={version} />;
  return (
    <>
      <Failures batch={answer} order={order} />
      <RowTable place={place} facets={answer.facets} version={version} />
    </>
  );
}

export function Failures({ batch, order }: { batch: Batch; order: (request: OrderRequest) => void }) {
  const { failures, status: now } = batch;
  if (failures.length === 0) return null;
  return (
    <section aria-labelledby="failures">
      <h2 id="failures">What did not come</h2>
      <ul class="plain">
        {failures.map((group) => (
          <li key={`${group.status} ${group.reasonCode} ${group.reason}`} class="card">
            <p>
              <Chip status={group.status} /> <strong>{rows(group.count)}</strong> {group.reasonCode ?? ''}
            </p>
            <p class="soft words">{`${group.reason ?? ''} For example:`}</p>
            <p class="buttons">
              {group.ids.map((id) => (
                <a key={id} href={`#/b/${now.batch}/row/${id}`}>
                  {id}
                </a>
              ))}
            </p>
            <Mend mend={mendOf(group, now)} order={order} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Mend({ mend, order }: { mend: OrderRequest | string | null; order: (request: OrderRequest) => void }) {
  if (mend === null || typeof mend === 'string') return mend && <p>{mend}</p>;
  return (
    <button type="button" onClick={() => order(mend)}>
      {mend.label}
    </button>
  );
}
