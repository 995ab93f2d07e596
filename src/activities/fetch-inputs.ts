import { Context } from '@temporalio/activity';
import type { InputRefused } from '../contract/chains.js';
import type { RowRef } from '../contract/workflows.js';
import { DownloadError } from '../service/download.js';
import { StoreError } from '../store/port.js';
import type { Dependencies } from './dependencies.js';
import { tryAgain } from './failures.js';
import { takeFedInputs } from './fed-inputs.js';
import { InputMissing } from './input-error.js';
import { fetchInputs } from './media.js';
import { loadRow } from './row-work.js';

/** An input that could not be fetched so often is missing. */
const TRIES_MAX = 6;

export interface InputActivities {
  /**
   * Fetches what must go as bytes and uploads what must go as a URL; false when an input cannot be had, and why, where
   * what other rows rendered cannot feed this one.
   */
  fetchInputs(input: { row: RowRef }): Promise<boolean | InputRefused>;
}

export function inputActivities(deps: Dependencies): InputActivities {
  return {
    async fetchInputs({ row: rowRef }) {
      const work = await loadRow(deps, rowRef);
      const { row } = work;
      try {
        const inputs = { ...work, batch: rowRef.batch };
        const refused = await takeFedInputs(deps, inputs);
        if (refused !== undefined) return refused;
        await fetchInputs(deps, inputs);
        return true;
      } catch (error) {
        if (error instanceof StoreError) throw tryAgain('records.unavailable', error.code);
        if (!(error instanceof DownloadError) && !(error instanceof InputMissing)) throw error;
        deps.log.warn({ id: row.id, error: error.name }, 'an input could not be fetched');
        if (error instanceof InputMissing || Context.current().info.attempt >= TRIES_MAX) return false;
        throw tryAgain('download.interrupted', error.reason);
      }
    },
  };
}
