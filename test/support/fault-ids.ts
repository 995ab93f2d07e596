/** The rules of design 3 for one submit's result and the faults of design 5, by their numbers; F26 was never given. */
const numbered = (letter: string, from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, i) => `${letter}${from + i}`);

export const FAULT_IDS: readonly string[] = [
  ...numbered('T', 1, 12),
  'TH',
  'TS',
  ...numbered('S', 0, 2),
  ...numbered('F', 1, 25),
  ...numbered('F', 27, 56),
];
