// What the page knows of all batches, kept up to date for as long as it is open.

import { useEffect, useState } from 'preact/hooks';
import { follow, type Told } from './events';
import { asksForSecret, beginSession, nextSession, takeLaterCodes } from './session';
import type { Overview } from './types';

const NO_SESSION = 'This tab has no session: `callsheet dashboard --url` prints an address that has.';

export interface Live {
  /** Undefined until the server told for the first time. */
  overview: Overview | undefined;
  /** Another one with each thing that the server told. */
  version: number;
  /** The server does not answer now. */
  isLost: boolean;
  /** The server opens a session for its secret, and this tab has none. */
  isShut: boolean;
  failed: string | undefined;
}

export function useOverview(): Live {
  const [overview, setOverview] = useState<Overview>();
  const [version, setVersion] = useState(0);
  const [isLost, setLost] = useState(false);
  const [failed, setFailed] = useState<string>();
  const [isShut, setShut] = useState(false);
  const tell = ({ line, isLost: isLostNow }: Told): void => {
    setLost(isLostNow);
    if (isLostNow || line === '') return;
    const state = JSON.parse(line) as Overview;
    setFailed(state.failed);
    if (state.failed === undefined) setOverview(state);
    setVersion((last) => last + 1);
  };
  const live = async (): Promise<never> => {
    for (;;) {
      try {
        if (!(await beginSession())) throw new Error(NO_SESSION);
        await follow(tell);
      } catch (error) {
        // Waited for from here on, so that none is missed while the server is asked.
        const next = nextSession();
        setLost(false);
        if (await asksForSecret().catch(() => false)) setShut(true);
        else setFailed((error as Error).message);
        await next;
      }
      setShut(false);
      setFailed(undefined);
    }
  };
  useEffect(() => {
    takeLaterCodes((error) => setFailed(error.message));
    void live();
  }, []);
  return { overview, version, isLost, isShut, failed };
}
