import type { Home } from './home.js';
import { shardOf } from './home-keys.js';

/** Which rows of a batch were ever tried or have ended, by listings: a row that was never touched costs no request. */
export interface TouchedRows {
  hasRecord(id: string): Promise<boolean>;
  wasTried(id: string): Promise<boolean>;
}

/** As the home is at the time of the first question about a row's shard. */
export function touchedRows({ store, keys }: Pick<Home, 'store' | 'keys'>, batch: string): TouchedRows {
  const listed = (prefix: string) => {
    const shards = new Map<string, Promise<ReadonlySet<string>>>();
    return (id: string): Promise<ReadonlySet<string>> => {
      const shard = shardOf(id);
      const names = shards.get(shard) ?? store.names(`${prefix}/${shard}`).then((found) => new Set(found));
      shards.set(shard, names);
      return names;
    };
  };
  const records = listed(keys.recordsOf(batch));
  const attempts = listed(keys.attemptsOf(batch));
  return {
    hasRecord: async (id) => (await records(id)).has(`${id}.json`),
    wasTried: async (id) => (await attempts(id)).has(id),
  };
}
