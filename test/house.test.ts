// The rules of the house (docs/architecture.md), executed: each message names file, line and rule.
import { describe, expect, test } from 'vitest';
import { missingEntries } from '../scripts/complete-lockfile.mjs';
import { factsOf, KINDS } from '../src/kinds/facts.js';
import { FAMILIES } from '../src/kinds/index.js';
import { importCircles } from './house/circles.js';
import { importViolations } from './house/layers.js';
import { familiesThatMeet, impureFacts, kindsNamedElsewhere, unreachableKindFiles } from './house/registry.js';
import {
  anyViolations,
  defaultExportViolations,
  escapedPathViolations,
  functionViolations,
  lengthViolations,
  needlessExceptions,
  ownTimeViolations,
  placeViolations,
  urlGuessViolations,
  weakMapViolations,
} from './house/shape.js';
import { projectFiles, readSource, readText, sourcesIn } from './house/sources.js';

const parts = sourcesIn('src', 'workflows', 'activities', 'emulator');
const product = [...parts, ...sourcesIn('scripts', 'bin', 'sim')];
const everything = [...product, ...sourcesIn('test', 'bench'), readSource('vitest.config.ts')];

describe('layers', () => {
  test('each folder imports only what the table allows', () => {
    expect(importViolations(parts)).toEqual([]);
  });

  test('no file imports one that imports it', () => {
    expect(importCircles(everything)).toEqual([]);
  });
});

describe('registry of kinds', () => {
  test('every file in the folder is reached from its index', () => {
    expect(unreachableKindFiles()).toEqual([]);
  });

  test('families do not import each other', () => {
    expect(familiesThatMeet()).toEqual([]);
  });

  test('no kind is named outside the families', () => {
    expect(kindsNamedElsewhere()).toEqual([]);
  });

  test('both registries have the same kinds in the same order, each asked as its facts say', () => {
    const flows = FAMILIES.flatMap((family) => Object.entries(family)).map(([kind, { wire }]) => {
      return [kind, 'pollRequest' in wire ? 'async' : 'sync'];
    });
    expect(flows).toEqual(KINDS.map((kind) => [kind, factsOf(kind).flow]));
  });

  test('facts know neither columns nor wire, so that workflows may know them', () => {
    expect(impureFacts()).toEqual([]);
  });
});

describe('lockfile', () => {
  test('names the optional packages of every platform (else: node scripts/complete-lockfile.mjs)', () => {
    const lockfile = JSON.parse(readText('package-lock.json'));
    expect(Object.keys(missingEntries(lockfile))).toEqual([]);
  });

  test('names no place that its packages come from', () => {
    expect(readText('package-lock.json')).not.toContain('"resolved"');
  });
});

describe('shape', () => {
  test('files are short', () => {
    expect(lengthViolations(product)).toEqual([]);
    expect(needlessExceptions(product)).toEqual([]);
  });

  test('functions are short', () => {
    expect(functionViolations(product)).toEqual([]);
  });

  test('nothing is `any`', () => {
    expect(anyViolations(everything)).toEqual([]);
  });

  test('nothing is remembered beside what is opened', () => {
    expect(weakMapViolations(sourcesIn('src', 'activities', 'workflows'))).toEqual([]);
  });

  test('what is no URL is found by parsing it', () => {
    expect(urlGuessViolations(everything)).toEqual([]);
  });

  test('paths of the checkout may hold spaces', () => {
    expect(escapedPathViolations(everything)).toEqual([]);
  });

  test('the emulator has no time and no chance of its own', () => {
    expect(ownTimeViolations(product)).toEqual([]);
  });

  test('exports have names', () => {
    expect(defaultExportViolations(everything)).toEqual([]);
  });

  test('no committed file names a registry host or a path of one machine', () => {
    expect(placeViolations(projectFiles())).toEqual([]);
  });
});
