#!/usr/bin/env node
// Starts the built command line; without a build it says how to get one.
import { existsSync } from 'node:fs';

const main = new URL('../dist/cli/main.js', import.meta.url);
if (existsSync(main)) {
  await import(main.href);
} else {
  process.stderr.write('callsheet is not built yet: run `npm run setup` in its folder, then the same command again.\n');
  process.exitCode = 2;
}
