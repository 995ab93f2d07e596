// The secret of a dashboard that is opened from another machine, exchanged for a session of this tab.
import { useState } from 'preact/hooks';
import { Failed } from './parts';
import { openSession } from './session';

export function SignIn({ done }: { done: () => void }) {
  const [failed, setFailed] = useState<string>();
  const [isAsking, setAsking] = useState(false);
  const send = (event: SubmitEvent): void => {
    event.preventDefault();
    const field = (event.currentTarget as HTMLFormElement).elements.namedItem('secret') as HTMLInputElement;
    setAsking(true);
    openSession({ secret: field.value })
      .then(done, (error: Error) => setFailed(error.message))
      .finally(() => setAsking(false));
  };
  return (
    <form class="card" aria-labelledby="sign-in" onSubmit={send}>
      <h1 id="sign-in">This dashboard is opened by its secret</h1>
      <p>
        <label>
          The secret, as it stands in the file of --secret-file{' '}
          <input type="password" name="secret" autocomplete="current-password" required />
        </label>
      </p>
      <Failed text={failed} />
      <p class="buttons">
        <button type="submit" disabled={isAsking}>
          Open
        </button>
      </p>
    </form>
  );
}
