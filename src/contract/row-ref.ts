/** Where a row stands: its batch, generation, part, place in the part, and id. */
export interface RowRef {
  batch: string;
  generation: string;
  part: number;
  /** 0-based place within the part. */
  index: number;
  id: string;
  /** Position of the row's kind in KINDS. */
  kind: number;
}
