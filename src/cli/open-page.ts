import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isS3Address } from '../domain/s3.js';
import { withoutOurs } from '../domain/secret.js';
import { makeTempFolder, refuseTempFolder } from '../manifest/temp-folder.js';
import type { Session } from './session.js';

/** Shows a page in the person's browser; one that lies in a bucket from a copy that nobody else can read. */
export async function openPage(session: Session, file: string, page: string): Promise<void> {
  const path = isS3Address(file) ? await copyOf(page) : file;
  const [program = '', ...args] = opener();
  try {
    await started(program, [...args, path]);
  } catch {
    session.terminal.warn(`no browser could be started with '${program}': open ${path}`);
  }
}

async function copyOf(page: string): Promise<string> {
  const path = join(await makeTempFolder('callsheet-report-'), 'report.html');
  await writeFile(path, page, { mode: 0o600 }).catch(refuseTempFolder);
  return path;
}

function opener(): string[] {
  if (process.platform === 'darwin') return ['open'];
  return process.platform === 'win32' ? ['explorer'] : ['xdg-open'];
}

/** The program is left to itself; keys, and what signs webhooks, are nothing for it. */
function started(program: string, args: string[]): Promise<void> {
  const options = { detached: true, stdio: 'ignore', env: withoutOurs(process.env) } as const;
  const child = spawn(program, args, options);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('spawn', () => {
      child.unref();
      resolve();
    });
  });
}
