import { type AccountActivities, accountActivities } from './account.js';
import { type BudgetActivities, budgetActivities } from './budget.js';
import { type ConfirmActivities, confirmActivities } from './confirm-handle.js';
import type { Dependencies } from './dependencies.js';
import { createDownload, type DownloadActivities, downloadActivities } from './download.js';
import { type FedRowActivities, fedRowActivities } from './fed-rows.js';
import { type InputActivities, inputActivities } from './fetch-inputs.js';
import { type FetchSalvagedActivities, fetchSalvagedActivities } from './fetch-salvaged.js';
import { type FreshUrlActivities, freshUrlActivities } from './fresh-url.js';
import { type OverrideActivities, overrideActivities } from './override.js';
import { type PollActivities, pollActivities } from './poll.js';
import { type ReopenActivities, reopenActivities } from './reopen.js';
import { type ResultActivities, resultActivities } from './results.js';
import { type RowActivities, rowActivities } from './rows.js';
import { createSaveAtOnce } from './save-at-once.js';
import { type SettleActivities, settleActivities } from './settle.js';
import { type ShareActivities, shareActivities } from './share.js';
import { type SlotActivities, slotActivities } from './slots.js';
import { type StartActivities, startActivities } from './start-jobs.js';
import { type SubmitActivities, submitActivities } from './submit.js';

/** Every activity by name, as workflows know them (types only). */
export type Activities = SubmitActivities &
  PollActivities &
  DownloadActivities &
  FreshUrlActivities &
  InputActivities &
  FetchSalvagedActivities &
  AccountActivities &
  RowActivities &
  FedRowActivities &
  BudgetActivities &
  SlotActivities &
  StartActivities &
  SettleActivities &
  OverrideActivities &
  ReopenActivities &
  ShareActivities &
  ConfirmActivities &
  ResultActivities;

/** Makes one account's activities over the dependencies that it is handed. */
export function createActivities(deps: Dependencies): Activities {
  const download = createDownload(deps);
  const saveAtOnce = createSaveAtOnce(deps, download);
  return {
    ...submitActivities(deps, saveAtOnce),
    ...pollActivities(deps, saveAtOnce),
    ...downloadActivities(deps, download),
    ...freshUrlActivities(deps),
    ...inputActivities(deps),
    ...fetchSalvagedActivities(deps),
    ...accountActivities(deps),
    ...rowActivities(deps),
    ...fedRowActivities(deps),
    ...budgetActivities(deps),
    ...slotActivities(deps),
    ...startActivities(deps),
    ...settleActivities(deps),
    ...overrideActivities(deps),
    ...reopenActivities(deps),
    ...shareActivities(deps),
    ...confirmActivities(deps),
    ...resultActivities(deps),
  };
}
