// Made before a run, so that none pays for it.
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode } from '@temporalio/worker';

const workflowsPath = fileURLToPath(new URL('./workflows.js', import.meta.url));
const { code } = await bundleWorkflowCode({ workflowsPath });
await writeFile(process.argv[2] ?? '', code);
