// One batch: how it stands, its orders, and one of its views.

import { useEffect, useState } from 'preact/hooks';
import { Summary } from './batches';
import { Gallery } from './gallery';
import { OrderDialog, type OrderRequest } from './order-dialog';
import { Chip, Failed, rows, useAnswer } from './parts';
import { RowView } from './row-view';
import { RowTable } from './rows';
import { TimeView } from './time-view';
import type { Batch, FailureGroup } from './types';

/** How soon a batch is asked for again of which not all rows are read yet. */
const READ_AGAIN_MS = 1_000;

export interface Place {
  batch: string;
  view: string;
  id: string;
}

export function BatchView({ place, version, isServed }: { place: Place; version: number; isServed: boolean }) {
  const [given, setGiven] = useState(0);
  const [request, setRequest] = useState<OrderRequest>();
  const [said, setSaid] = useState('');
  const { answer, failed } = useAnswer<Batch>(`/batches/${place.batch}`, version + given);
  const isRead = answer === undefined || answer.facets !== null;
  useEffect(() => {
    const timer = isRead ? undefined : setTimeout(() => setGiven((last) => last + 1), READ_AGAIN_MS);
    return () => clearTimeout(timer);
  }, [isRead, given]);
  const close = (text?: string): void => {
    setRequest(undefined);
    setGiven(given + 1);
    if (text !== undefined) setSaid(text);
  };
  if (answer === undefined) return <Failed text={failed} />;
  const { status } = answer;
  return (
    <>
      <h1>{status.batch}</h1>
      <p role="status" class="said">
        {said}
      </p>
      <Failed text={failed} />
      <Summary status={status} />
      <p class="buttons">
        {ordersOf(status.state, isServed).map((one) => (
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

interface ViewProps {
  place: Place;
  answer: Batch;
  version: number;
  order: (request: OrderRequest) => void;
}

function View({ place, answer, version, order }: ViewProps) {
  const { batch, view, id } = place;
  if (view === 'row') return <RowView batch={batch} id={id} version={version} order={order} />;
  if (view === 'gallery') return <Gallery batch={batch} facets={answer.facets} version={version} />;
  if (view === 'time') return <TimeView batch={batch} version={version} />;
  return (
    <>
      <Failures groups={answer.failures} order={order} />
      <RowTable batch={batch} facets={answer.facets} version={version} />
    </>
  );
}

const PAUSE = { order: 'pause', label: 'Pause', effect: 'Nothing new is submitted; what was submitted is fetched.' };
const CANCEL = {
  order: 'cancel',
  label: 'Cancel',
  effect: 'Nothing new is submitted, and open rows end as cancelled; what was submitted is paid, and is fetched.',
};
const RESUME = {
  order: 'resume',
  label: 'Resume',
  effect: 'The batch submits again.',
  fields: [{ name: 'maxCredits', label: 'Its budget in credits (empty: as it is)', isNeeded: false }],
};
const APPROVE = {
  order: 'approve',
  label: 'Approve the rest',
  effect: 'Submits all rows that the sample held back. No row of the sample is paid again.',
  fields: [{ name: 'maxCredits', label: 'At most so many credits', isNeeded: true }],
};
const BUDGET = {
  order: 'resume',
  label: 'Budget',
  effect: 'From now on the batch may cost so much in all.',
  fields: [{ name: 'maxCredits', label: 'Its budget in credits', isNeeded: true }],
};
const LIMITS = {
  order: 'limits',
  label: 'Limits',
  effect: 'Changes how the batch shares the slots with others; jobs that run are left alone.',
  fields: [
    { name: 'concurrency', label: 'Simultaneous jobs of this batch (empty: as it is)', isNeeded: false },
    { name: 'weight', label: 'Weight beside other batches, 1 to 100 (empty: as it is)', isNeeded: false },
    { name: 'priority', label: 'Priority (empty: as it is)', isNeeded: false },
  ],
};
const ACCOUNT_LIMITS = {
  order: 'account-limits',
  label: 'Account limits',
  effect: 'Changes what all batches of the account may use of the plan; jobs that run are left alone.',
  fields: [
    { name: 'concurrency', label: 'Simultaneous jobs (empty: as it is)', isNeeded: false },
    { name: 'rpm', label: 'Requests per minute (empty: as it is)', isNeeded: false },
  ],
};

/** The orders that this state takes; without an engine only those that start one. */
function ordersOf(state: string, isServed: boolean): OrderRequest[] {
  if (state === 'sampled') return [APPROVE];
  if (state === 'finished') return [];
  if (state === 'not running' || state === 'paused')
    return isServed ? [RESUME, CANCEL, LIMITS, ACCOUNT_LIMITS] : [RESUME];
  return isServed ? [PAUSE, CANCEL, BUDGET, LIMITS, ACCOUNT_LIMITS] : [];
}

export function Failures({ groups, order }: { groups: FailureGroup[]; order: (request: OrderRequest) => void }) {
  if (groups.length === 0) return null;
  return (
    <section aria-labelledby="failures">
      <h2 id="failures">What did not come</h2>
      <ul class="plain">
        {groups.map(({ status, reasonCode, reason, count, ids }) => (
          <li key={`${status} ${reasonCode} ${reason}`} class="card">
            <p>
              <Chip status={status} /> <strong>{rows(count)}</strong> {reasonCode ?? ''}
            </p>
            <p class="soft words">{`${reason ?? ''} For example ${ids.join(', ')}.`}</p>
            <Mend request={mendOf(status, reasonCode)} order={order} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Mend({ request, order }: { request: OrderRequest | undefined; order: (request: OrderRequest) => void }) {
  return request === undefined ? null : (
    <button type="button" onClick={() => order(request)}>
      {request.label}
    </button>
  );
}

/** What mends all rows of one reason at once; the other orders are for single rows, and stand there. */
function mendOf(status: string, reason: string | undefined): OrderRequest | undefined {
  if (status === 'failed' || status === 'cancelled') return retryOf(reason);
  return reason === 'answer_lost_undecided' ? SETTLE_GROUP : undefined;
}

const SETTLE_GROUP: OrderRequest = {
  order: 'settle-group',
  label: 'Settle together',
  effect:
    'Counts by the balance how many lost answers of one price were billed, with those of other batches: so many end as lost_paid, and the others are sent again.',
};

function retryOf(reason: string | undefined): OrderRequest {
  const label = `Retry ${reason ?? 'all failed and cancelled rows'}`;
  const effect = 'Submits these rows again. What was billed is not paid again.';
  return { order: 'retry', label, effect, body: reason === undefined ? {} : { reason } };
}
