// Every order asks once more, with the rows and the credits that it is about.
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { credits, Failed, rows } from './parts';
import { ask } from './session';

export interface OrderRequest {
  order: string;
  /** What the button says. */
  label: string;
  /** What it does, in a sentence. */
  effect: string;
  body?: Record<string, string | boolean>;
  /** What a person types. */
  fields?: OrderField[];
  /** Credits that were spent before and count with what it costs. */
  spent?: string;
}

export interface OrderField {
  name: string;
  label: string;
  /** Where no price is known nothing can be bounded: such a field is left out then. */
  isNeeded: boolean | 'where priced';
}

interface Quote {
  rows: number;
  credits: string | null;
  /** By the names of the fields; null where nothing limits it. */
  inForce?: Record<string, number | null>;
  /** The manifest that an approval is for. */
  generation?: string;
}

export function OrderDialog({
  batch,
  request,
  close,
}: {
  batch: string;
  request: OrderRequest;
  close: (said?: string) => void;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const answer = useRef<string | undefined>(undefined);
  const [quote, setQuote] = useState<Quote>();
  const [typed, setTyped] = useState<Record<string, string>>({});
  const [failed, setFailed] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const fields = (request.fields ?? []).filter((one) => one.isNeeded !== 'where priced' || isPriced(quote));
  const filled = Object.fromEntries(Object.entries(typed).filter(([, value]) => value !== ''));
  const seen = quote?.generation === undefined ? {} : { generation: quote.generation };
  const body = { order: request.order, ...request.body, ...filled, ...seen };
  useLayoutEffect(() => {
    dialog.current?.showModal();
    const needed = (request.fields ?? []).filter(({ isNeeded }) => isNeeded !== false);
    const standIns = needed.map(({ name }) => [name, '1']);
    ask<Quote>(`/batches/${batch}/quote`, { ...body, ...Object.fromEntries(standIns) }).then(setQuote, (error: Error) =>
      setFailed(error.message),
    );
  }, []);
  const give = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setFailed(undefined);
    try {
      const agreed = quote && { rows: quote.rows, credits: quote.credits };
      answer.current = (await ask<{ message: string }>(`/batches/${batch}/orders`, { ...body, agreed })).message;
      // Closed by itself, a dialog gives the focus back to what opened it; a person may have left it already.
      if (dialog.current?.open) dialog.current.close();
      else close(answer.current);
    } catch (error) {
      setFailed(error instanceof Error ? error.message : String(error));
    }
    setBusy(false);
  };
  return (
    <dialog ref={dialog} aria-labelledby="order-title" onClose={() => close(answer.current)}>
      <form onSubmit={(event) => void give(event)}>
        <h2 id="order-title">{`${request.label}?`}</h2>
        <p>{request.effect}</p>
        <p class="quote">{quote === undefined ? 'Counting…' : quoteText(quote, request)}</p>
        <Fields
          fields={fields}
          inForce={quote?.inForce}
          typed={typed}
          type={(name, value) => setTyped({ ...typed, [name]: value })}
        />
        <Failed text={failed} />
        <p class="buttons">
          <button type="submit" class="main" disabled={isBusy || quote === undefined}>
            {isBusy ? 'One moment…' : request.label}
          </button>
          <button type="button" onClick={() => dialog.current?.close()}>
            Leave it
          </button>
        </p>
      </form>
    </dialog>
  );
}

/** Known to be: what a person types before that would be sent although its field is gone. */
function isPriced(quote: Quote | undefined): boolean {
  return quote !== undefined && quote.credits !== null;
}

interface FieldsProps {
  fields: OrderField[];
  inForce: Quote['inForce'];
  typed: Record<string, string>;
  type: (name: string, value: string) => void;
}

function Fields({ fields, inForce, typed, type }: FieldsProps) {
  return fields.map(({ name, label, isNeeded }) => (
    <label key={name}>
      {inForce?.[name] === undefined ? label : `${label}; now ${inForce[name] ?? 'no limit set'}`}
      <input
        name={name}
        value={typed[name] ?? ''}
        required={isNeeded !== false}
        onInput={(event) => type(name, event.currentTarget.value)}
      />
    </label>
  ));
}

function quoteText({ rows: count, credits: cost }: Quote, { spent, fields = [] }: OrderRequest): string {
  if (cost === '0') return `${rows(count)}, no further credits`;
  if (cost === null) {
    const bound = fields.some(({ isNeeded }) => isNeeded === 'where priced') ? ', and no budget bounds it' : '';
    return `${rows(count)}, the price is not known${bound}`;
  }
  const most = `${rows(count)}, at most ${credits(cost)} credits`;
  if (spent === undefined) return most;
  // Rounded up: what is typed from here must suffice.
  const sum = Math.ceil((Number(cost) + Number(spent)) * 1e4 - 1e-4) / 1e4;
  return `${most}; with the ${credits(spent)} that were spent so far, at most ${credits(sum)}`;
}
