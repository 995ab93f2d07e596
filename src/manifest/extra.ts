import { isJsonObject, type JsonObject } from '../domain/json.js';
import type { FieldTree } from '../kinds/rule.js';

/**
 * The documented field that an `extra` object names, as a dotted path; undefined when it names none. Inside a
 * documented container only undocumented fields may be added, and a container can only be given as an object.
 */
export function settledField(extra: JsonObject, documented: FieldTree, path = ''): string | undefined {
  for (const [name, value] of Object.entries(extra)) {
    const known = Object.hasOwn(documented, name) ? documented[name] : undefined;
    if (known === undefined) continue;
    const here = path === '' ? name : `${path}.${name}`;
    if (known === true || !isJsonObject(value)) return here;
    const inner = settledField(value, known, here);
    if (inner !== undefined) return inner;
  }
  return undefined;
}
