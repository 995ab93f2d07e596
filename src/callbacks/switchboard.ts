import { type CallbackDesk, type CallbackReceiver, startReceiver } from './receiver.js';

/** The receivers of one process: accounts that listen at the same place share one. */
export interface Switchboard {
  /** Opens the place for an account; rejects with one sentence when it cannot be listened on. */
  connect(account: string, listen: string, desk: CallbackDesk): Promise<void>;
  /** Takes an account out; a place without accounts is closed. */
  disconnect(account: string): Promise<void>;
}

interface Place {
  receiver: CallbackReceiver;
  desks: Map<string, CallbackDesk>;
}

export class ListenError extends Error {
  override readonly name = 'ListenError';
  readonly code = 'callbacks_listen';
}

export function createSwitchboard(onError: (error: unknown) => void): Switchboard {
  const places = new Map<string, Place>();

  return {
    async connect(account, listen, desk) {
      await this.disconnect(account);
      const place = places.get(listen) ?? (await openPlace(listen));
      places.set(listen, place);
      place.desks.set(account, desk);
    },
    async disconnect(account) {
      for (const [listen, { receiver, desks }] of places) {
        if (!desks.delete(account) || desks.size > 0) continue;
        places.delete(listen);
        await receiver.close();
      }
    },
  };

  async function openPlace(listen: string): Promise<Place> {
    const desks = new Map<string, CallbackDesk>();
    try {
      return { receiver: await startReceiver({ listen, desk: anyOf(desks), onError }), desks };
    } catch (error) {
      const why = error instanceof Error && 'code' in error ? String(error.code) : String(error);
      throw new ListenError(`callbacks cannot be received at ${listen} (${why}): change callbacks.listen (--listen)`);
    }
  }
}

/** A token says by itself whose it is. */
function anyOf(desks: ReadonlyMap<string, CallbackDesk>): CallbackDesk {
  return {
    async open(token) {
      for (const desk of desks.values()) {
        const hear = await desk.open(token);
        if (hear !== undefined) return hear;
      }
      return undefined;
    },
  };
}
