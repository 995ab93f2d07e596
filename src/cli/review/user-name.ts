import { userInfo } from 'node:os';

/** Who sits at this machine, as it knows them. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run under a number that has no name.
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
