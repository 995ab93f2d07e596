import { InvalidArgumentError, Option } from 'commander';
import { PRIORITY_MAX, type SlotTerms, WEIGHT_MAX } from '../../domain/batch.js';

/** How a batch shares the slots, as `run` and `limits` are told. */

export interface SlotFlags {
  weight?: number;
  priority?: number;
}

export function slotOptions(): Option[] {
  return [
    new Option(
      '--weight <n>',
      `part of the slots' time beside other batches, 1 to ${WEIGHT_MAX} (default 1)`,
    ).argParser(wholeNumber(1, WEIGHT_MAX)),
    new Option(
      '--priority <n>',
      'before batches of lower priority, which keep a tenth of the slots (default 0)',
    ).argParser(wholeNumber(-PRIORITY_MAX, PRIORITY_MAX)),
  ];
}

/** What was given, and nothing else. */
export function slotFlags({ weight, priority }: SlotFlags): Partial<SlotTerms> {
  return { ...(weight === undefined ? {} : { weight }), ...(priority === undefined ? {} : { priority }) };
}

function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^-?\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`it must be a whole number from ${min} to ${max}`);
  };
}
