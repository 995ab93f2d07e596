import { fc, test as property } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { JsonTextError, readJsonText } from '../../src/config/json-text.js';

function errorOf(text: string): JsonTextError {
  try {
    readJsonText(text);
  } catch (error) {
    expect(error).toBeInstanceOf(JsonTextError);
    return error as JsonTextError;
  }
  throw new Error('nothing was thrown');
}

property.prop([fc.jsonValue(), fc.constantFrom(undefined, 1, '\t')])(
  'reads what JSON.stringify writes',
  (value, indent) => {
    const text = JSON.stringify(value, undefined, indent);
    expect(readJsonText(text).value).toEqual(JSON.parse(text));
  },
);

describe('places', () => {
  const { placeOf } = readJsonText('{\n  "a": [10,\n    {"b": true}],\n  "c": null\n}');

  test.each([
    [['a'], 2, 3],
    [['a', 0], 2, 9],
    [['a', 1], 3, 5],
    [['a', 1, 'b'], 3, 6],
    [['c'], 4, 3],
    [[], 1, 1],
    // What is not there is shown at what holds it.
    [['a', 1, 'missing'], 3, 5],
  ])('%j is at %i:%i', (path, line, column) => {
    expect(placeOf(path)).toEqual({ line, column });
  });
});

test.each([
  ['', 'the file ends too early', 1, 1],
  ['{"a":1', 'the file ends too early', 1, 7],
  ['{"a":1,}', 'expected a name in double quotes', 1, 8],
  ["{'a':1}", 'expected a value or a name in double quotes', 1, 2],
  ['{"a" 1}', "expected ':'", 1, 6],
  ['[1 2]', "expected ',' or the closing bracket", 1, 4],
  ['{"a":01}', "expected ',' or the closing bracket", 1, 7],
  ['{"a":tru}', 'expected a value or a name in double quotes', 1, 6],
  ['{"a":"x\ny"}', 'this text is not closed', 1, 6],
  ['{"a":"\\x"}', 'this text has a bad escape', 1, 6],
  ['{"a":1} x', 'expected a value or a name in double quotes', 1, 9],
  ['{"a":1} 2', 'expected the end of the file', 1, 9],
  ['{"a":1, // one\n"b":2}', 'JSON has no comments', 1, 9],
  ['{"a":1,\n"a":2}', "'a' stands here twice", 2, 1],
  ['[{"a":1}, {"b":{"c":1,"c":1}}]', "'c' stands here twice", 1, 23],
  [`${'['.repeat(100_000)}${']'.repeat(100_000)}`, 'nested too deep', 1, 1],
])('%j: %s', (text, message, line, column) => {
  const error = errorOf(text);
  expect([error.message, error.place]).toEqual([message, { line, column }]);
});
