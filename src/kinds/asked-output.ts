import type { OutputFile } from '../domain/outcome.js';
import type { Row } from '../domain/row.js';
import type { AskedOutput } from './fact.js';
import { factsOf } from './facts.js';

/** What a row asked its output to be, as far as the documents name it, and where a file disagrees. Pure. */

/** Empty where the documents leave size and length to the model. */
export function askedOutput({ kind, cells }: Pick<Row, 'kind' | 'cells'>): AskedOutput {
  return factsOf(kind).asked?.(cells) ?? {};
}

/** One sentence for each disagreement; a clip that is longer, or shorter by less than half, is none. */
export function disagreements(asked: AskedOutput, { width, height, durationSeconds }: Partial<OutputFile>): string[] {
  const found: string[] = [];
  if (asked.width !== undefined && asked.height !== undefined && width !== undefined && height !== undefined) {
    if (width !== asked.width || height !== asked.height) {
      found.push(`the output is ${width}x${height}, asked for ${asked.width}x${asked.height}`);
    }
  }
  if (asked.seconds !== undefined && durationSeconds !== undefined && durationSeconds < asked.seconds / 2) {
    const seconds = Math.round(durationSeconds * 100) / 100;
    found.push(`the clip is ${seconds} s long, less than half of the ${asked.seconds} s asked for`);
  }
  return found;
}
