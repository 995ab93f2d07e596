import type { Store } from '../store/port.js';
import { type ChargeBook, createChargeBook } from './charge-book.js';
import { type Callbacks, createCallbacks } from './handles.js';
import { type Home, openHome } from './home.js';
import { createLedger, type Ledger } from './ledger.js';
import { createRecords, type Records } from './row-records.js';
import { createRows, type Rows } from './rows.js';
import { createGroups, type Groups } from './verdicts.js';

/** An account's home with everything that is read and written in it. */
export interface AccountRecords {
  home: Home;
  ledger: Ledger;
  rows: Rows;
  records: Records;
  book: ChargeBook;
  callbacks: Callbacks;
  groups: Groups;
}

/** Opens an account's home in a store; nothing is written. */
export function openAccountRecords(store: Store, account: string): AccountRecords {
  const home = openHome(store, account);
  return {
    home,
    ledger: createLedger(store, account),
    rows: createRows(store, account),
    records: createRecords(store, account),
    book: createChargeBook(store, account),
    callbacks: createCallbacks(store, account),
    groups: createGroups(home),
  };
}
