import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { fileReason } from '../../domain/file-reason.js';
import { isS3Address } from '../../domain/s3.js';
import { quoted } from '../problem.js';
import type { RootCheck } from './input-roots.js';

/** A local media file by its real path. `outside` says why it may not be read where it lies below none of the roots. */
export type LocalPath =
  | { ok: true; real: string; bytes: number; modifiedMs: number; outside?: string }
  | { ok: false; message: string };

/** Finds real paths below the manifest's folder, from which relative ones start, and below the roots. */
export function createPathFinder(
  folder: string,
  isBelowRoot: RootCheck,
): (name: string, text: string) => Promise<LocalPath> {
  const known = new Map<string, Promise<string>>();
  const isBelow = async (root: string, real: string): Promise<boolean> => {
    const realRoot = known.get(root) ?? realpath(root).catch(() => resolve(root));
    known.set(root, realRoot);
    return isInside(await realRoot, real);
  };
  return async (name, text) => {
    const absolute = resolve(folder, text);
    const unreadable = (error: unknown) =>
      ({ ok: false, message: `${name}: cannot read ${quoted(text)}: ${fileReason(error)}` }) as const;
    const real = await realpath(absolute).catch(unreadable);
    if (typeof real !== 'string') return real;
    const isInFolder = await isBelow(folder, real);
    const mayRead = isInFolder || (await isBelowRoot((root) => !isS3Address(root) && isBelow(root, real)));
    const how = isInside(resolve(folder), absolute) ? 'is a link that leads out of' : 'is outside';
    const outside = `${name}: ${quoted(text)} ${how} the manifest's folder; add its folder with --input-root`;
    // It may have been removed since.
    const entry = await stat(real).catch(unreadable);
    if ('ok' in entry) return entry;
    if (!entry.isFile()) return { ok: false, message: mayRead ? `${name}: ${quoted(text)} is not a file` : outside };
    return { ok: true, real, bytes: entry.size, modifiedMs: entry.mtimeMs, ...(mayRead ? {} : { outside }) };
  };
}

function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
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
