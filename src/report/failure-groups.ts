import type { RowRecord, Status } from '../domain/outcome.js';

/** Equal row errors as one line: how many, what, and some of the ids. Pure. */
export interface FailureGroup {
  status: Status;
  reasonCode: string | undefined;
  /** The provider's words of the first row. */
  reason: string | undefined;
  count: number;
  ids: string[];
}

const IDS_SHOWN = 3;
const GROUPS_MAX = 200;

export interface FailureGroups {
  add(
    record: Pick<RowRecord, 'id' | 'status'> & { reasonCode?: string | undefined; reason?: string | undefined },
  ): void;
  /** The largest last, so that it stands nearest to the prompt. */
  groups(): FailureGroup[];
}

export function groupFailures(): FailureGroups {
  const groups = new Map<string, FailureGroup>();
  return {
    add: ({ id, status, reasonCode, reason }) => {
      const exact = `${status} ${reasonCode ?? ''} ${shapeOf(reason)}`;
      // A provider that says something new for each row must not fill the screen or the memory.
      const key = groups.has(exact) || groups.size < GROUPS_MAX ? exact : `${status} ${reasonCode ?? ''}`;
      const group = groups.get(key) ?? { status, reasonCode, reason, count: 0, ids: [] };
      group.count += 1;
      if (group.ids.length < IDS_SHOWN) group.ids.push(id);
      groups.set(key, group);
    },
    groups: () => [...groups.values()].sort((a, b) => a.count - b.count),
  };
}

/** Numbers and ids in a message do not make it another message. */
function shapeOf(reason: string | undefined): string {
  return (reason ?? '').replace(/[0-9a-f-]{8,}|\d+/gi, '#').slice(0, 200);
}
