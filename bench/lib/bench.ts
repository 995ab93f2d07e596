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
  /** What `workloads` only knows: the same work by others beside it. */
  peers?: boolean;
  /** What `scenarios` only knows: those alone whose name holds this. */
  only?: string | undefined;
}

/** The figures of one run, by name. */
export type Figures = Record<string, [value: number, unit: string]>;

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
    /** All figures of a run, each named after what they are of. */
    addAll(of: string, figures: Figures): void {
      for (const [name, [value, unit]] of Object.entries(figures)) this.add(`${of}: ${name}`, unit, value);
    },
    all: (): Measure[] => [...measures.values()],
  };
}

/** Tells what goes on; figures alone go to standard output. */
export function say(text: string): void {
  process.stderr.write(`bench: ${text}\n`);
}
