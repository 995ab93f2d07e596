import { type AccountActivities, accountActivities } from './account.js';
import type { Dependencies } from './dependencies.js';
import { createDownload, type DownloadActivities, downloadActivities } from './download.js';
import { type FedRowActivities, fedRowActivities } from './fed-rows.js';
import { createSaveAtOnce } from './files/save-at-once.js';
import { type InputActivities, inputActivities } from './inputs.js';
import { type PollActivities, pollActivities } from './poll.js';
import { type ResultActivities, resultActivities } from './results.js';
import { type RowActivities, rowActivities } from './rows.js';
import { type SalvageActivities, salvageActivities } from './salvage.js';
import { type SettleActivities, settleActivities } from './settle.js';
import { type ShareActivities, shareActivities } from './share.js';
import { type SlotActivities, slotActivities } from './slots.js';
import { type StartActivities, startActivities } from './start-jobs.js';
import { type SubmitActivities, submitActivities } from './submit.js';

/** Every activity by name, as workflows know them (types only). */
export type Activities = SubmitActivities &
  PollActivities &
  DownloadActivities &
  InputActivities &
  SalvageActivities &
  AccountActivities &
  RowActivities &
  FedRowActivities &
  SlotActivities &
  StartActivities &
  SettleActivities &
  ShareActivities &
  ResultActivities;

/** Makes one account's activities over the dependencies that it is handed. */
export function createActivities(deps: Dependencies): Activities {
  const download = createDownload(deps);
  const saveAtOnce = createSaveAtOnce(deps, download);
  return {
    ...submitActivities(deps, saveAtOnce),
    ...pollActivities(deps, saveAtOnce),
    ...downloadActivities(deps, download),
    ...inputActivities(deps),
    ...salvageActivities(deps),
    ...accountActivities(deps),
    ...rowActivities(deps),
    ...fedRowActivities(deps),
    ...slotActivities(deps),
    ...startActivities(deps),
    ...settleActivities(deps),
    ...shareActivities(deps),
    ...resultActivities(deps),
  };
}
