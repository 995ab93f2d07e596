import Table from 'cli-table3';

const EMPTY_FRAME = Object.fromEntries(
  ['top', 'bottom', 'left', 'right', 'mid']
    .flatMap((side) => [side, `${side}-mid`, `${side}-left`, `${side}-right`])
    .map((name) => [name, '']),
);

/** Rows under each other without a frame, two blanks between columns. */
export function formatTable(rows: readonly (readonly string[])[], options: { head?: readonly string[] } = {}): string {
  const table = new Table({
    chars: { ...EMPTY_FRAME, middle: '  ' },
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
    ...(options.head === undefined ? {} : { head: [...options.head] }),
  });
  table.push(...rows.map((row) => [...row]));
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}
