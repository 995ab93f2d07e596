#!/usr/bin/env node
// Starts the built command line; without a build it says how to get one.
import { existsSync } from 'node:fs';

// Most of what a look takes is loading modules: these commands have theirs in few files (scripts/lib/bundle-cli.mjs).
const isLook = ['status', 'list'].includes(process.argv[2] ?? '');
const main = new URL(isLook ? '../dist/cli/main.js' : '../dist/src/cli/main.js', import.meta.url);
if (existsSync(main)) {
  await import(main.href);
} else {
  process.stderr.write('callsheet is not built yet: run `npm run setup` in its folder, then the same command again.\n');
  process.exitCode = 2;
}
