// The page: one session, one stream of events, and the view that the address names.
import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { BatchView, type Place } from './batch';
import { Batches } from './batches';
import { Failed } from './parts';
import { beginSession, follow } from './session';
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
  const [place, setPlace] = useState(placeOf(location.hash));
  useEffect(() => {
    const go = (): void => setPlace(placeOf(location.hash));
    addEventListener('hashchange', go);
    const tell = (state: Overview): void => {
      setFailed(state.failed);
      if (state.failed === undefined) setOverview(state);
      setVersion((last) => last + 1);
    };
    beginSession().then(
      (token) => (token === undefined ? setFailed(NO_SESSION) : follow<Overview>(tell, setLost)),
      (error: Error) => setFailed(error.message),
    );
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
          <span class="soft">no engine runs: as the home has it</span>
        )}
        <span role="status">{isLost ? 'The server does not answer; this page goes on when it does.' : ''}</span>
      </header>
      <main>
        <Failed text={failed} />
        {overview?.blocked == null ? null : <p class="notice">{overview.blocked}</p>}
        {overview === undefined ? null : place.batch === '' ? (
          <Batches overview={overview} />
        ) : (
          <BatchView key={place.batch} place={place} version={version} isServed={overview.isServed} />
        )}
      </main>
    </>
  );
}

const NO_SESSION = 'This tab has no session: `callsheet dashboard --url` prints an address that has.';

render(<App />, document.getElementById('page') as HTMLElement);
