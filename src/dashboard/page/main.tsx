// The page: one session, one stream of events, and the view that the address names.
// The secret of a dashboard that is opened from another machine, exchanged for a session of this tab.

import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { BatchView, type Place } from './batch';
import { Batches } from './batches';
import { Failed } from './parts';
import { asksForSecret, beginSession, follow, openSession } from './session';
import type { Overview } from './types';

function placeOf(hash: string): Place {
  const [, , batch = '', view = 'rows', id = ''] = hash.split('/').map(decodeURIComponent);
  return { batch, view, id };
}

function App() {
  const [overview, setOverview] = useState<Overview>();
  const [version, setVersion] = useState(0);
  const [isLost, setLost] = useState(false);
  const [failed, setFailed] = useState<string>();
  const [isShut, setShut] = useState(false);
  const [place, setPlace] = useState(placeOf(location.hash));
  const start = async (): Promise<void> => {
    const tell = (state: Overview): void => {
      setFailed(state.failed);
      if (state.failed === undefined) setOverview(state);
      setVersion((last) => last + 1);
    };
    try {
      const token = await beginSession();
      setShut(false);
      setFailed(undefined);
      if (token === undefined) throw new Error(NO_SESSION);
      await follow<Overview>(tell, setLost);
    } catch (error) {
      if (await asksForSecret().catch(() => false)) setShut(true);
      else setFailed((error as Error).message);
    }
  };
  useEffect(() => {
    const go = (): void => setPlace(placeOf(location.hash));
    addEventListener('hashchange', go);
    void start();
    return () => removeEventListener('hashchange', go);
  }, []);
  useEffect(() => {
    document.title = place.batch === '' ? 'callsheet' : `${place.batch} – callsheet`;
  }, [place]);
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
        {isShut ? <SignIn done={() => void start()} /> : null}
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

const NO_SESSION = 'This tab has no session: `callsheet dashboard --url` prints an address that has.';

render(<App />, document.getElementById('page') as HTMLElement);

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
