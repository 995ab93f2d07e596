// The page: one session, one stream of events, and the view that the address names.
// The secret of a dashboard that is opened from another machine, exchanged for a session of this tab.

import { render } from 'preact';
import { useState } from 'preact/hooks';
import { BatchView } from './batch';
import { Batches } from './batches';
import { useOverview } from './overview';
import { Failed } from './parts';
import { usePlace } from './place';
import { openSession } from './session';

function App() {
  const { overview, version, isLost, isShut, failed } = useOverview();
  const place = usePlace();
  return (
    <>
      <header>
        <a href="#/">callsheet</a>
        {overview === undefined || overview.isServed ? null : (
          <span class="soft">
            no engine runs: as the home has it. Resume, Retry and Approve start one; an order for a row waits
          </span>
        )}
        <span role="status">{isLost ? 'The server does not answer; this page goes on when it does.' : ''}</span>
      </header>
      <main>
        <Failed text={failed} />
        {isShut ? <SignIn /> : null}
        {overview?.blocked == null ? null : <p class="notice">{overview.blocked}</p>}
        {overview === undefined || isShut ? null : place.batch === '' ? (
          <Batches overview={overview} />
        ) : (
          <BatchView key={place.batch} place={place} version={version} />
        )}
      </main>
    </>
  );
}

render(<App />, document.getElementById('page') as HTMLElement);

export function SignIn() {
  const [failed, setFailed] = useState<string>();
  const [isAsking, setAsking] = useState(false);
  const send = (event: SubmitEvent): void => {
    event.preventDefault();
    const field = (event.currentTarget as HTMLFormElement).elements.namedItem('secret') as HTMLInputElement;
    setAsking(true);
    openSession({ secret: field.value })
      .catch((error: Error) => setFailed(error.message))
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
