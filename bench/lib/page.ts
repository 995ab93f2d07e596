import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Measure } from './bench.js';
import { type Report, shown } from './report.js';
import { median } from './statistics.js';

/** docs/performance.md: all kept results as tables. Written anew whenever a result is kept. */

const KEPT = fileURLToPath(new URL('../results', import.meta.url));
const PAGE = fileURLToPath(new URL('../../docs/performance.md', import.meta.url));

const HEAD = `# Performance

What the kept runs of \`npm run bench\` have measured, written by them; what each figure means and what it must keep to is in
docs/figures.md. A figure is the median of its runs. Bold ones miss their bound. With a load (processes that ran or waited,
over a minute, before and after) above the number of processors, times say more about the neighbours.
`;

/** Said beside the figures of the peers: a quick run is no merit where it cannot be trusted with money. */
const PEERS_CANNOT = `The p-queue script has forgotten all when it dies: which jobs were paid, their handles, what is left to do. Temporal as its
samples use it (a semaphore after their mutex) goes on after a crash, but sends a submit again whose answer is lost, and so
pays twice. Neither knows prices and budgets, follows the plan's caps or keeps to its requests per minute, or knows what an
answer of a gateway means and when an output is gone.`;

export function writePage(): void {
  writeFileSync(PAGE, pageOf(keptReports()));
}

export function keptReports(): Report[] {
  const names = readdirSync(KEPT).filter((name) => name.endsWith('.json'));
  return names.sort().map((name) => JSON.parse(readFileSync(`${KEPT}/${name}`, 'utf8')) as Report);
}

export function pageOf(reports: readonly Report[]): string {
  return [HEAD, ...reports.map(section)].join('\n');
}

function section({ name, measuredOn, machine, loadAverage, settings, measures }: Report): string {
  const { cpus, cpuModel, memoryGb, node, temporalServer } = machine;
  const set = Object.entries(settings).map(([key, value]) => `- ${key}: ${value}`);
  return [
    `## ${name}`,
    `${measuredOn}, ${cpus} × ${cpuModel}, ${memoryGb} GB, Node ${node}, Temporal server ${temporalServer};`,
    `runs: ${Math.max(...measures.map(({ runs }) => runs.length))}; load ${loadAverage.before} before, ${loadAverage.after} after.`,
    '',
    ...set,
    '',
    ...(isSideBySide(name)
      ? tablesOf(measures)
      : [...table(['figure', 'median', 'bound', 'runs'], rowsOf(measures)), '']),
    ...(measures.some(({ name: figure }) => figure.includes(', p-queue: ')) ? [PEERS_CANNOT, ''] : []),
  ].join('\n');
}

function isSideBySide(name: string): boolean {
  return name.startsWith('workloads') || name.startsWith('scenarios');
}

function rowsOf(measures: readonly Measure[]): string[][] {
  return measures.map((one) => [one.name, medianOf(one), boundOf(one), String(one.runs.length)]);
}

/** Figures of several works (`work, who: figure`) side by side. */
function tablesOf(measures: readonly Measure[]): string[] {
  const parted = measures.map((measure) => {
    const [of = '', figure = ''] = measure.name.split(': ');
    const at = of.indexOf(', ');
    return { work: of.slice(0, at), who: of.slice(at + 2), figure, measure };
  });
  const works = [...new Set(parted.map(({ work }) => work))];
  return works.flatMap((work) => {
    const mine = parted.filter((one) => one.work === work);
    const who = [...new Set(mine.map((one) => one.who))];
    const rows = [...new Set(mine.map(({ figure }) => figure))].map((figure) => [
      figure,
      ...who.map((name) => {
        const found = mine.find((one) => one.who === name && one.figure === figure);
        return found === undefined ? '' : medianOf(found.measure);
      }),
    ]);
    return [...table([work, ...who], rows), ''];
  });
}

function medianOf(measure: Measure): string {
  const middle = median(measure.runs);
  const text = `${shown(middle)} ${measure.unit}`.trim();
  return measure.bound !== undefined && !(middle <= measure.bound) ? `**${text}**` : text;
}

function boundOf({ bound, unit }: Measure): string {
  return bound === undefined ? '' : `${shown(bound)} ${unit}`.trim();
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(header), line(header.map(() => '-')), ...rows.map(line)];
}
