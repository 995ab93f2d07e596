#!/usr/bin/env node
// Starts the built command line; without a build, or from a folder that is gone, it says what to do.
import { existsSync } from 'node:fs';

const main = new URL('../dist/cli/main.js', import.meta.url);
if (!existsSync(main)) {
  process.stderr.write('callsheet is not built yet: run `npm run setup` in its folder, then the same command again.\n');
  process.exitCode = 2;
} else if (!hasWorkingFolder()) {
  process.stderr.write(
    'the working folder is gone or cannot be entered: change to another, then the same command again.\n',
  );
  process.exitCode = 4;
} else {
  await import(main.href);
}

/** Libraries that are loaded ask for it as well. */
function hasWorkingFolder() {
  try {
    return process.cwd() !== '';
  } catch {
    return false;
  }
}
