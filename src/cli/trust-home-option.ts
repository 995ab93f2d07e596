import { Option } from 'commander';

/** The flag of every command that goes on with a batch: what the refusal of another home recommends. */
export function trustHomeOption(): Option {
  return new Option('--trust-home', 'this home is the right one, although the outputs or Temporal tell of another');
}
