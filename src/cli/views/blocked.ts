import type { BatchProgress } from '../../contract/workflows.js';
import { storeTrouble } from '../../store/folder-errors.js';
import { plain } from '../terminal.js';

/** Says what finished work cannot be stored, why, and what to do. */
export function blockedText(blocked: BatchProgress['blocked']): string {
  if (blocked === null) return 'finished files could not be stored';
  const { id, code, count, file } = blocked;
  const what = id === null ? 'the results of the batch' : `the output of row ${plain(id, 120)}`;
  const more = count > 1 ? ` and of ${count - 1} more` : '';
  const taken = file === undefined ? 'the file that has it' : plain(file, 400);
  const advice = code === 'EEXIST' ? `move ${taken} away` : 'mend that';
  return `${what}${more} cannot be stored: ${storeTrouble(code)}; ${advice} and it goes on by itself, nothing paid is lost`;
}
