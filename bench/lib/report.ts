import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BenchOutcome, Measure } from './bench.js';
import type { Machine } from './machine.js';
import { median } from './statistics.js';

/** How a benchmark ended, as it is printed and kept. */
export interface Report extends BenchOutcome {
  measuredOn: string;
  machine: Machine;
  loadAverage: { before: number; after: number };
}

export function reportText({ name, settings, measures, machine, loadAverage }: Report): string {
  const { cpus, cpuModel, memoryGb, platform, node, temporalServer } = machine;
  const header = ['figure', 'median', 'bound', 'ratio to bound', 'runs'];
  const rows = measures.map((measure) => {
    const middle = median(measure.runs);
    const { bound, unit } = measure;
    return [
      measure.name,
      `${shown(middle)} ${unit}`.trim(),
      bound === undefined ? '' : `≤ ${shown(bound)} ${unit}`.trim(),
      bound === undefined || bound === 0 ? '' : (middle / bound).toFixed(2),
      measure.runs.map(shown).join('  '),
    ];
  });
  return [
    `== ${name}`,
    `machine   ${cpus} × ${cpuModel}, ${memoryGb} GB, ${platform}, Node ${node}, Temporal server ${temporalServer}`,
    `load      ${loadAverage.before} before, ${loadAverage.after} after (1-minute average)`,
    `settings  ${Object.entries(settings)
      .map(([key, value]) => `${key} ${value}`)
      .join(', ')}`,
    columns([header, ...rows]),
    '',
  ].join('\n');
}

/** One sentence for each bound that the median missed. */
export function missedBounds({ name, measures }: BenchOutcome): string[] {
  return measures.flatMap(({ name: figure, unit, runs, bound }) => {
    const middle = median(runs);
    // Written so that a figure that could not be measured misses its bound, too.
    if (bound === undefined || middle <= bound) return [];
    return [
      `${name}: ${figure} is ${shown(middle)} ${unit} in the median of ${runs.length}, the bound is ${shown(bound)} ${unit}`,
    ];
  });
}

/** Writes the report to `bench/results/local`, or with `keep` to `bench/results`, where it is committed. */
export function writeReport(report: Report, keep: boolean): void {
  const path = fileURLToPath(new URL(`../results/${keep ? '' : 'local/'}${report.name}.json`, import.meta.url));
  const measures = report.measures.map(withMedian);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify({ ...report, measures }, null, 2)}\n`);
}

function withMedian(measure: Measure) {
  const runs = measure.runs.map(rounded);
  return { ...measure, runs, median: rounded(median(measure.runs)) };
}

function rounded(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}

export function shown(value: number): string {
  const size = Math.abs(value);
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : size >= 0.1 || size === 0 ? 2 : 4);
}

function columns(lines: readonly string[][]): string {
  const widths = (lines[0] ?? []).map((_, i) => Math.max(...lines.map((line) => line[i]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
