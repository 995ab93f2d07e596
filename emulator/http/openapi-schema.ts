/** Short ways to write the JSON schemas of the OpenAPI description. */

export type Schema = Record<string, unknown>;

export const text: Schema = { type: 'string' };
export const filled: Schema = { type: 'string', minLength: 1, pattern: '\\S' };
export const flag: Schema = { type: 'boolean' };
export const url: Schema = { type: 'string', format: 'uri' };

export function whole(minimum?: number, maximum?: number): Schema {
  return {
    type: 'integer',
    ...(minimum === undefined ? {} : { minimum }),
    ...(maximum === undefined ? {} : { maximum }),
  };
}

export function decimal(minimum?: number, maximum?: number): Schema {
  return { ...whole(minimum, maximum), type: 'number' };
}

export function oneOf(...values: (string | number)[]): Schema {
  return { type: typeof values[0], enum: values };
}

export function list(items: Schema, minItems = 0, maxItems?: number): Schema {
  return { type: 'array', items, minItems, ...(maxItems === undefined ? {} : { maxItems }) };
}

/** An object; names that end in `?` are optional. Further properties are allowed, as the service allows them. */
export function object(properties: Record<string, Schema>): Schema {
  const names = Object.keys(properties);
  return {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name.replace(/\?$/, ''), properties[name]])),
    required: names.filter((name) => !name.endsWith('?')),
  };
}

/** One of several forms. */
export function either(...forms: Schema[]): Schema {
  return { anyOf: forms };
}

export function described(schema: Schema, description: string): Schema {
  return { ...schema, description };
}
