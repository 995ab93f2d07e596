/** One figure of a benchmark: what each run measured, and where it has one, the bound that the median must keep. */
export interface Measure {
  name: string;
  unit: string;
  runs: number[];
  /** At most this. */
  bound?: number;
}

export interface BenchOptions {
  runs: number;
  /** What `turnover` only knows. */
  slots: number | undefined;
  jobs: number | undefined;
  /** What `soak` only knows. */
  minutes: number | undefined;
  rows: number | undefined;
  seed: number | undefined;
}

/** What a benchmark hands back. */
export interface BenchOutcome {
  /** Names the file of its results. */
  name: string;
  settings: Record<string, string | number>;
  measures: Measure[];
  /** Figures over the course of a run: kept with the results, not printed. */
  series?: readonly object[];
}

export type Bench = (options: BenchOptions) => Promise<BenchOutcome>;

/** Gathers figures by name over the runs of a benchmark. */
export function createMeasures() {
  const measures = new Map<string, Measure>();
  return {
    add(name: string, unit: string, value: number, bound?: number): void {
      const measure = measures.get(name) ?? { name, unit, runs: [], ...(bound === undefined ? {} : { bound }) };
      measure.runs.push(value);
      measures.set(name, measure);
    },
    all: (): Measure[] => [...measures.values()],
  };
}

/** Tells what goes on; figures alone go to standard output. */
export function say(text: string): void {
  process.stderr.write(`bench: ${text}\n`);
}
