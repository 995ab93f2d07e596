import type { Kind } from '../../domain/kind.js';
import type { MediaSort } from '../../domain/media-type.js';
import { sortOfType } from '../../domain/media-type.js';
import type { MediaRule } from '../../kinds/rule.js';
import { KIND_RULES } from '../../kinds/rules.js';

/** Whether the endpoint reads media of this sort in this column from a URL alone. */
export function takesUrlOnly(rule: MediaRule, sort: MediaSort | 'other'): boolean {
  return rule.inline === 'url-only' || (rule.inline === 'bytes' && sort !== rule.sort);
}

/** The same for a checked row, by the type of its medium. */
export function needsUrl(kind: Kind, column: string, mediaType: string): boolean {
  const found = KIND_RULES[kind].columns.find(({ name }) => name === column);
  return found?.type === 'media' && takesUrlOnly(found.media, sortOfType(mediaType));
}
