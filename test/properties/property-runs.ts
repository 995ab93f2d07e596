/** How often a property is tried: some hundred times in every run of the tests, 10,000 times in a kept run. */
const asked = process.env.CALLSHEET_PROPERTY_RUNS;

/** A kept run says what it tried. */
export const IS_KEPT = asked !== undefined;

/** Where a kept run starts is drawn, and printed with the tests' names: given again, it plays the same values. */
export const SEED = Number(process.env.CALLSHEET_PROPERTY_SEED ?? (IS_KEPT ? Date.now() % 2 ** 31 : 1));

export function propertyRuns(usual: number): number {
  return Number(asked ?? usual);
}
