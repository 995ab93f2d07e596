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
            {status !== 'failed' && status !== 'cancelled' ? null : (
              <button type="button" onClick={() => order(retryOf(reasonCode))}>
                {retryOf(reasonCode).label}
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function retryOf(reason: string | undefined): OrderRequest {
  const label = `Retry ${reason ?? 'all failed and cancelled rows'}`;
  const effect = 'Submits these rows again. What was billed is not paid again.';
  return { order: 'retry', label, effect, body: reason === undefined ? {} : { reason } };
}
