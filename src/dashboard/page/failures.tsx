// Failures grouped by reason, with one example and the order that mends them.
import type { OrderRequest } from './order-dialog';
import { Chip, rows } from './parts';
import type { FailureGroup } from './types';

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
