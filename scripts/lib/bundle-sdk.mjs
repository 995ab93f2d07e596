// Temporal's SDK within the bundle: what of it looks for files beside itself is told where they are.

/** Where the SDK's workflow threads start, and what that is called within the bundle. */
export const workflowThread = '@temporalio/worker/lib/workflow/workflow-worker-thread';
export const threadName = 'workflow-thread';

/** @typedef {[file: RegExp, from: string | RegExp, to: string]} Change */

/** What stays where it was installed: parts of packages that come with the SDK. @param {string} name */
const installed = (name) =>
  `path.dirname(require('node:module').createRequire(require.resolve('@temporalio/worker')).resolve('${name}'))`;

/** @type {Change[]} */
const CHANGES = [
  [
    /@temporalio.worker.lib.workflow.threaded-vm\.js$/,
    "require.resolve('./workflow-worker-thread')",
    `new URL('./${threadName}.js', import.meta.url)`,
  ],
  [/@temporalio.core-bridge.common\.js$/, '__dirname', installed('@temporalio/core-bridge')],
  [/source-map.lib.read-wasm\.js$/, '__dirname', installed('source-map/lib/read-wasm.js')],
  // Workflows are bundled by the build: a worker needs neither webpack nor its file systems.
  [/@temporalio.worker.lib.workflow.bundler\.js$/, /^.*$/s, 'exports.defaultWorkflowInterceptorModules = [];'],
];

/**
 * @param {string} code
 * @param {string} id
 */
export function sdkInBundle(code, id) {
  const change = CHANGES.find(([file]) => file.test(id));
  if (change === undefined) return undefined;
  const [, from, to] = change;
  const changed = code.replace(from, to);
  // A later SDK may do otherwise: no build whose workers fail at their start.
  if (changed === code) throw new Error(`${id} is not as scripts/lib/bundle-sdk.mjs expects it`);
  return { code: changed, map: null };
}
