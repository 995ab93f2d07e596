import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { quoted } from '../problem.js';

/** A local media file that may be read, by its real path. */
export type LocalPath = { ok: true; real: string; bytes: number; modifiedMs: number } | { ok: false; message: string };

export interface MediaRoots {
  /** The manifest's folder; paths are relative to it. */
  folder: string;
  inputRoots: readonly string[];
}

/** Finds real paths below the roots, whose own real paths are looked up once. */
export function createPathFinder(roots: MediaRoots): (name: string, text: string) => Promise<LocalPath> {
  let realRoots: Promise<string[]> | undefined;
  return async (name, text) => {
    const absolute = resolve(roots.folder, text);
    let real: string;
    try {
      real = await realpath(absolute);
    } catch (error) {
      return { ok: false, message: `${name}: cannot read ${quoted(text)}: ${reasonOf(error)}` };
    }
    realRoots ??= realPaths([roots.folder, ...roots.inputRoots]);
    if (!(await realRoots).some((root) => isInside(root, real))) {
      const how = isInside(resolve(roots.folder), absolute) ? 'is a link that leads out of' : 'is outside';
      return {
        ok: false,
        message: `${name}: ${quoted(text)} ${how} the manifest's folder; add its folder with --input-root`,
      };
    }
    const entry = await stat(real);
    if (!entry.isFile()) return { ok: false, message: `${name}: ${quoted(text)} is not a file` };
    return { ok: true, real, bytes: entry.size, modifiedMs: entry.mtimeMs };
  };
}

async function realPaths(paths: readonly string[]): Promise<string[]> {
  return Promise.all(paths.map((path) => realpath(path).catch(() => resolve(path))));
}

function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** The plain words for the usual file errors. */
export function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return 'no such file';
    case 'EACCES':
    case 'EPERM':
      return 'no permission';
    case 'EISDIR':
      return 'it is a folder';
    case 'ELOOP':
      return 'too many links';
    case 'ENAMETOOLONG':
      return 'the name is too long';
    default:
      return code === '' ? 'it cannot be read' : code;
  }
}

/** The bytes of a `data:` URI, or why they cannot be had. */
export type DataUri = { ok: true; bytes: Buffer } | { ok: false; message: string };

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Reads a base64 `data:` URI; the declared type is not trusted, since the bytes tell it. */
export function readDataUri(name: string, text: string): DataUri {
  const comma = text.indexOf(',');
  const head = comma === -1 ? '' : text.slice(5, comma);
  if (/;base64$/i.test(text)) {
    return { ok: false, message: `${name} is a data: URI that ends before its comma; quote the cell` };
  }
  if (comma === -1 || !/^data:/i.test(text) || !/;base64$/i.test(head)) {
    return { ok: false, message: `${name} is a data: URI without base64 content` };
  }
  const content = text.slice(comma + 1);
  const whole = content.length % 4 === 0 || !content.includes('=');
  if (content === '' || content.length % 4 === 1 || !whole || !BASE64.test(content)) {
    return { ok: false, message: `${name} is not valid base64` };
  }
  return { ok: true, bytes: Buffer.from(content, 'base64') };
}
