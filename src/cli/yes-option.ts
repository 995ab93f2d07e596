import { Option } from 'commander';

/** Of the orders that ask nothing: whoever says --yes to every order, a script or a habit, is not refused. */
export function yesOption(): Option {
  return new Option('-y, --yes', 'taken as by the other orders; this one asks nothing');
}
