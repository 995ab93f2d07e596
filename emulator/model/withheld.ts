/** What faults hold back until later, such as a job or a charge that comes late; it can be told to happen at once. */
import type { World } from './world.js';

/** Acts at `dueMs`, or when `hurry` is called before. */
export function holdBack({ scheduler, withheld }: World, dueMs: number, act: (atMs: number) => void): void {
  const once = (atMs: number): void => {
    if (withheld.delete(once)) act(atMs);
  };
  withheld.add(once);
  scheduler.at(dueMs, once);
}

export function hurry({ clock, withheld }: World): void {
  for (const act of [...withheld]) act(clock.nowMs());
}
