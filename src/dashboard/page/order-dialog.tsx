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
  /** What a person types, with its label. */
  field?: { name: string; label: string; isNeeded: boolean };
}

interface Quote {
  rows: number;
  credits: string | null;
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
  const [quote, setQuote] = useState<Quote>();
  const [typed, setTyped] = useState('');
  const [failed, setFailed] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const { field } = request;
  const body = { order: request.order, ...request.body, ...(field && typed !== '' ? { [field.name]: typed } : {}) };
  useLayoutEffect(() => {
    dialog.current?.showModal();
    const asked = field?.isNeeded ? { ...body, [field.name]: '1' } : body;
    ask<Quote>(`/batches/${batch}/quote`, asked).then(setQuote, (error: Error) => setFailed(error.message));
  }, []);
  const give = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setFailed(undefined);
    try {
      close((await ask<{ message: string }>(`/batches/${batch}/orders`, body)).message);
    } catch (error) {
      setFailed(error instanceof Error ? error.message : String(error));
    }
    setBusy(false);
  };
  return (
    <dialog ref={dialog} aria-labelledby="order-title" onClose={() => close()}>
      <form onSubmit={(event) => void give(event)}>
        <h2 id="order-title">{`${request.label}?`}</h2>
        <p>{request.effect}</p>
        <p class="quote">{quote === undefined ? 'Counting…' : quoteText(quote)}</p>
        {field === undefined ? null : (
          <label>
            {field.label}
            <input value={typed} required={field.isNeeded} onInput={(event) => setTyped(event.currentTarget.value)} />
          </label>
        )}
        <Failed text={failed} />
        <p class="buttons">
          <button type="submit" class="main" disabled={isBusy || quote === undefined}>
            {isBusy ? 'One moment…' : request.label}
          </button>
          <button type="button" onClick={() => close()}>
            Leave it
          </button>
        </p>
      </form>
    </dialog>
  );
}

function quoteText({ rows: count, credits: cost }: Quote): string {
  if (cost === '0') return `${rows(count)}, no further credits`;
  return cost === null ? `${rows(count)}, the price is not known` : `${rows(count)}, at most ${credits(cost)} credits`;
}
