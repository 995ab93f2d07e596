// How a row is settled that needs a person: what the balance tells, the orders, and why one is not given now.

import type { ShownRow } from '../answers';
import type { OrderField, OrderRequest } from './order-dialog';
import { credits, date, Fact, Facts, number } from './parts';
import type { Evidence, Range, Shown } from './types';

interface Settlement {
  /** The `review` command that it is. */
  command: string;
  label: string;
  /** What the command line says of it, where nothing stands here. */
  effect?: string;
  body?: Record<string, boolean>;
  field: OrderField;
}

const WHY = { name: 'why', label: 'Why you decide so (kept in the ledger)', isNeeded: false };
const HANDLE = { name: 'handle', label: 'The handle, as the service gave it', isNeeded: true };
const SETTLEMENTS: Settlement[] = [
  { command: 'attach-handle', label: 'Attach its handle', field: HANDLE },
  {
    ...{ command: 'mark-lost', label: 'Mark it lost', body: { isNotBilled: false }, field: WHY },
    effect: 'It was billed and is given up: the row ends as lost_paid.',
  },
  {
    ...{ command: 'mark-lost', label: 'Not billed', body: { isNotBilled: true }, field: WHY },
    effect: 'It was not billed: the row ends as failed, and a retry runs it again.',
  },
  { command: 'resubmit', label: 'Submit it again', field: WHY },
];

/** The last records of an attempt that nobody has decided on. */
const OPEN_CASE = ['unknown', 'created_lost'];

interface SettleProps {
  row: ShownRow;
  shown: Shown;
  order: (request: OrderRequest) => void;
}

/** The orders for a row that needs a person or whose answer was lost, with what they rest on; why others are not given. */
export function Settle({ row: { id, needsPerson }, shown, order }: SettleProps) {
  const found = SETTLEMENTS.flatMap((one) => {
    const told = shown.commands.filter(({ command }) => command.includes(` review ${one.command} `));
    return told.map((command) => ({ ...command, ...one }));
  });
  const possible = found.filter(({ refused }) => refused === null);
  const refusals = found.filter(({ refused }) => refused !== null);
  if (possible.length === 0 && !needsPerson) return null;
  return (
    <section aria-labelledby="settle" class="card">
      <h3 id="settle">Settle it</h3>
      <p>{`${shown.standing} At stake: ${shown.at_stake ?? 'not known'} credits.`}</p>
      <EvidenceOf shown={shown} />
      <p class="buttons">
        {possible.map(({ command, label, effect, body, field }) => (
          <button
            key={label}
            type="button"
            onClick={() => order({ order: command, label, effect, body: { id, ...body }, fields: [field] })}
          >
            {label}
          </button>
        ))}
      </p>
      {refusals.length === 0 ? null : (
        <ul>
          {refusals.map(({ label, refused }) => (
            <li key={label}>{`${label}: not now, ${refused}`}</li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** What the balance says of the last attempt, and what another one costs. */
function EvidenceOf({ shown: { attempts, evidence, balance, resubmit_cost } }: { shown: Shown }) {
  const isOpen = OPEN_CASE.includes(String(attempts.at(-1)?.states.at(-1)?.state));
  return (
    <>
      {evidence === null ? <p>The balance was not read both before the submit and after it.</p> : null}
      <Facts>
        {evidence === null ? null : <EvidenceFacts evidence={evidence} isOpen={isOpen} />}
        <Fact name="Submitting it again costs at most">{credits(resubmit_cost)}</Fact>
      </Facts>
      {balance.length === 0 ? null : (
        <details>
          <summary>Readings of the balance</summary>
          <ul>
            {balance.map((one) => (
              <li key={one.at}>{readingText(one)}</li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

function EvidenceFacts({ evidence, isOpen }: { evidence: Evidence; isOpen: boolean }) {
  const { balance_before: before, balance_after: after, others, missing, price } = evidence;
  return (
    <>
      <Fact name="Balance before the submit">{readingText(before)}</Fact>
      <Fact name="Balance after it">{readingText(after)}</Fact>
      <Fact name="It fell by">{credits(evidence.fell_by)}</Fact>
      <Fact name={`Of that for other attempts (${number(others.attempts)})`}>{rangeText(others)}</Fact>
      <Fact name="Missing">{rangeText(missing)}</Fact>
      <Fact name="This attempt would cost">{rangeText(price)}</Fact>
      <Fact name="Other lost answers">{number(evidence.other_lost_answers)}</Fact>
      {isOpen ? (
        <Fact name="That it was not billed can be known from">{date(evidence.not_billed_known_from)}</Fact>
      ) : null}
    </>
  );
}

function readingText({ at, credits: balance }: Shown['balance'][number]): string {
  return `${credits(balance)} (${date(at)})`;
}

function rangeText({ from, to }: Range): string {
  if (to === null) return `at least ${credits(from)}`;
  return from === to ? credits(to) : `${credits(from)} to ${credits(to)}`;
}
