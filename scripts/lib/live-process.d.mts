export function startMark(pid: number): string | undefined;
export function isAlive(pid: number, mark: string): boolean;
