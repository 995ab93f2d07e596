/** How a batch shares the account's slots with others. */
export interface SlotTerms {
  /** Simultaneous jobs of the batch; null = as many as the account may have. */
  concurrency: number | null;
  /** Its part of the slots' time beside batches of the same priority, 1 to 100. */
  weight: number;
  /** Before all batches of lower priority, but for a tenth of the slots. */
  priority: number;
}

export const DEFAULT_SLOT_TERMS: SlotTerms = { concurrency: null, weight: 1, priority: 0 };

export const WEIGHT_MAX = 100;
/** Priorities go from minus to plus this. */
export const PRIORITY_MAX = 100;
