/** Reads the fields of a request body; every wrong type, missing field or value out of range is a 400 with a plain detail. */
import { invalid, type JsonObject } from '../model/errors.js';

/** The fields of one JSON object; a name in a message carries the object's path (`input.prompt`). */
export interface Fields {
  readonly raw: JsonObject;
  has(name: string): boolean;
  path(name: string): string;
  string(name: string): string | undefined;
  /** A string that must be there and not be blank. */
  needString(name: string): string;
  oneOf<Value extends string>(name: string, values: readonly Value[]): Value | undefined;
  needOneOf<Value extends string>(name: string, values: readonly Value[]): Value;
  /** A whole number; the string "5" is not converted. */
  integer(name: string, min?: number, max?: number): number | undefined;
  number(name: string, min?: number, max?: number): number | undefined;
  boolean(name: string): boolean | undefined;
  object(name: string): Fields | undefined;
  needObject(name: string): Fields;
  /** An array of objects. */
  objects(name: string): Fields[] | undefined;
  /** Refuses fields that this request does not take. */
  refuse(names: readonly string[], why: string): void;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

// The types that a field can have.
const isString = (value: unknown): value is string => typeof value === 'string';
const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
const isInteger = (value: unknown): value is number => Number.isSafeInteger(value);
const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';
const isObjects = (value: unknown): value is JsonObject[] => Array.isArray(value) && value.every(isObject);

/** Characters as a person counts them, not UTF-16 units. */
export function charactersOf(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** Wraps a JSON object for reading. */
export function fieldsOf(raw: JsonObject, prefix = ''): Fields {
  const path = (name: string): string => `${prefix}${name}`;
  const read = <Value>(name: string, is: (value: unknown) => value is Value, what: string): Value | undefined => {
    const value = raw[name];
    if (value === undefined) return undefined;
    if (!is(value)) throw invalid(`'${path(name)}' must be ${what}.`);
    return value;
  };
  const need = <Value>(name: string, value: Value | undefined): Value => {
    if (value === undefined) throw invalid(`'${path(name)}' is required.`);
    return value;
  };
  const inRange = (name: string, value: number | undefined, min?: number, max?: number): number | undefined => {
    if (value === undefined) return undefined;
    if ((min !== undefined && value < min) || (max !== undefined && value > max)) {
      throw invalid(`'${path(name)}' must be between ${min} and ${max}, got ${value}.`);
    }
    return value;
  };
  const fields: Fields = {
    raw,
    path,
    has: (name) => raw[name] !== undefined,
    string: (name) => read(name, isString, 'a string'),
    needString(name) {
      const text = need(name, fields.string(name));
      if (text.trim() === '') throw invalid(`'${path(name)}' must not be empty.`);
      return text;
    },
    oneOf(name, values) {
      const text = fields.string(name);
      if (text === undefined) return undefined;
      const found = values.find((value) => value === text);
      if (found === undefined) throw invalid(`'${path(name)}' must be one of ${values.join(', ')}; got '${text}'.`);
      return found;
    },
    needOneOf: (name, values) => need(name, fields.oneOf(name, values)),
    integer: (name, min, max) => inRange(name, read(name, isInteger, 'an integer'), min, max),
    number: (name, min, max) => inRange(name, read(name, isNumber, 'a number'), min, max),
    boolean: (name) => read(name, isBoolean, 'true or false'),
    object(name) {
      const value = read(name, isObject, 'an object');
      return value === undefined ? undefined : fieldsOf(value, `${path(name)}.`);
    },
    needObject: (name) => need(name, fields.object(name)),
    objects: (name) =>
      read(name, isObjects, 'an array of objects')?.map((item, index) => fieldsOf(item, `${path(name)}[${index}].`)),
    refuse(names, why) {
      const found = names.find((name) => raw[name] !== undefined);
      if (found !== undefined) throw invalid(`'${path(found)}' ${why}`);
    },
  };
  return fields;
}

/** Refuses a text above its documented number of characters. */
export function checkLength(name: string, text: string | undefined, max: number): void {
  if (text === undefined) return;
  const length = charactersOf(text);
  if (length > max) throw invalid(`'${name}' has ${length} characters; the limit is ${max}.`);
}
