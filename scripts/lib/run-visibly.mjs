// Runs a program that takes a while: says every few seconds how far it is, and never waits without a bound.
import { spawn } from 'node:child_process';
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const tellEveryMs = 5_000;
const outputMax = 20_000;

/**
 * @typedef {object} RunOptions
 * @property {string} label what is being done, for the progress lines.
 * @property {string} watch the folder that grows meanwhile.
 * @property {NodeJS.ProcessEnv} env
 * @property {string} [cwd]
 * @property {number} limitMs the whole time.
 * @property {number} [stallMs] the longest time without growth; no such limit if not given.
 * @property {(line: string) => void} onProgress
 */

/**
 * Fulfilled when the program ends with 0; else rejected with one sentence and the end of what it printed.
 * @param {string} program
 * @param {string[]} args
 * @param {RunOptions} options
 * @returns {Promise<void>}
 */
export function runVisibly(program, args, options) {
  return new Promise((resolve, reject) => {
    const startedAt = Date.now();
    const child = spawn(program, args, { cwd: options.cwd, env: options.env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    let grownAt = startedAt;
    let bytes = 0;
    let ended = '';
    /** @param {Buffer} chunk */
    const keep = (chunk) => {
      output += chunk.toString('utf8');
      if (output.length > outputMax) output = `${output.slice(0, outputMax / 2)}\n${output.slice(-outputMax / 4)}`;
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    /** @param {string} why */
    const end = (why) => {
      ended = why;
      child.kill('SIGKILL');
    };
    const clock = setInterval(() => {
      const now = Date.now();
      const size = folderBytes(options.watch);
      if (size > bytes) grownAt = now;
      bytes = size;
      options.onProgress(`${options.label}: ${Math.round((now - startedAt) / 1_000)} s, ${megabytes(size)}`);
      if (now - startedAt > options.limitMs) end(`not done after ${options.limitMs / 60_000} min`);
      else if (options.stallMs !== undefined && now - grownAt > options.stallMs) {
        end(`nothing arrived for ${options.stallMs / 1_000} s`);
      }
    }, tellEveryMs);
    child.once('error', (error) => {
      clearInterval(clock);
      reject(new Error(`${program} did not start: ${error.message}`));
    });
    child.once('close', (code, signal) => {
      clearInterval(clock);
      if (code === 0) return resolve();
      const how = ended || (signal ?? `exit code ${code}`);
      reject(new Error([`${options.label} failed (${how})`, excerpt(output)].filter(Boolean).join(': ')));
    });
  });
}

/** @param {number} bytes */
export function megabytes(bytes) {
  return `${Math.round(bytes / 1e6)} MB`;
}

/**
 * The bytes of all files below a folder, as far as they can be seen.
 * @param {string} folder
 * @returns {number}
 */
export function folderBytes(folder) {
  try {
    return readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
      const path = join(folder, entry.name);
      return sum + (entry.isDirectory() ? folderBytes(path) : lstatSync(path).size);
    }, 0);
  } catch {
    return 0;
  }
}

/**
 * What went wrong stands at the beginning with some programs, at the end with others.
 * @param {string} text
 */
function excerpt(text) {
  const lines = text.trim().split('\n');
  return (lines.length <= 16 ? lines : [...lines.slice(0, 8), '…', ...lines.slice(-8)]).join('\n');
}
