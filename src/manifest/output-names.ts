import type { Kind } from '../domain/kind.js';
import { OUTPUT_EXTENSIONS, type OutputExtension, splitOutputName } from '../domain/media-type.js';
import type { KindFacts } from '../kinds/fact.js';
import { factsOf } from '../kinds/facts.js';
import { createLineIndex, type LineIndex } from './line-index.js';
import { foldName } from './names.js';
import { quoted } from './problem.js';

/** Finds rows of one manifest of which only one could be stored. Extensions come with the bytes: all that may come count. */
export interface OutputNames {
  /** What is wrong with the row's name beside those of earlier rows, in words; undefined where nothing is. */
  add(row: { kind: Kind; line: number }, stem: string): string | undefined;
}

type Output = KindFacts['output'];

export function createOutputNames(hasSidecars: boolean): OutputNames {
  const rows = createRowsByStem(hasSidecars);
  /** Folders that are named like outputs: there are hardly ever any. */
  let folders: LineIndex | undefined;
  /** Rows whose own file may be named like the sidecar of another. */
  let likeSidecars: LineIndex | undefined;

  function isLikeSidecar(stem: string, output: Output): boolean {
    return hasSidecars && mayGive(output, 'json') && splitOutputName(stem) !== undefined;
  }

  /** Of the folders that the name needs, and of a sidecar that has it. */
  function clashWithFiles(stem: string, output: Output, line: number): string | undefined {
    for (const folder of foldersOf(stem)) {
      const earlier = rows.writerOf(folder);
      if (earlier !== undefined) return asFolder(earlier, line, folder);
    }
    const maker = isLikeSidecar(stem, output) ? rows.makerOf(stem) : undefined;
    return maker === undefined ? undefined : asSidecar(maker, line, stem);
  }

  /** Of any file that the row may write. */
  function clashOfFiles(stem: string, output: Output, line: number): string | undefined {
    if (folders === undefined && likeSidecars === undefined) return undefined;
    for (const extension of extensionsOf(output)) {
      const name = `${stem}.${extension}`;
      const sidecar = `${name}.json`;
      const isFolder = folders?.find(name);
      if (isFolder !== undefined) return asFolder(isFolder, line, name);
      const isSidecarFolder = hasSidecars ? folders?.find(sidecar) : undefined;
      if (isSidecarFolder !== undefined) return asFolder(isSidecarFolder, line, sidecar);
      const other = likeSidecars?.find(name);
      if (other !== undefined) return asSidecar(other, line, name);
    }
    return undefined;
  }

  return {
    add({ kind, line }, name) {
      const stem = foldName(name);
      const { output } = factsOf(kind);
      const same = rows.find(stem);
      if (same !== undefined) return `lines ${same} and ${line} both write ${quoted(name)}`;
      const clash = clashWithFiles(stem, output, line) ?? clashOfFiles(stem, output, line);
      rows.add(stem, output, line);
      for (const folder of foldersOf(stem)) {
        if (splitOutputName(folder) === undefined) continue;
        folders ??= createLineIndex();
        folders.add(folder, line);
      }
      if (isLikeSidecar(stem, output)) {
        likeSidecars ??= createLineIndex();
        likeSidecars.add(stem, line);
      }
      return clash;
    },
  };
}

function createRowsByStem(hasSidecars: boolean) {
  /** Apart for what their kinds give. */
  const indexes = new Map<Output, LineIndex>();

  function find(stem: string, extension?: OutputExtension): number | undefined {
    for (const [output, index] of indexes) {
      const line = extension === undefined || mayGive(output, extension) ? index.find(stem) : undefined;
      if (line !== undefined) return line;
    }
    return undefined;
  }

  function add(stem: string, output: Output, line: number): void {
    const index = indexes.get(output) ?? createLineIndex();
    indexes.set(output, index);
    index.add(stem, line);
  }

  /** The row whose output may have this name. */
  function makerOf(name: string): number | undefined {
    const file = splitOutputName(name);
    return file && find(file.base, file.extension);
  }

  /** The row that may write a file of this name, as its output or as a sidecar. */
  function writerOf(name: string): number | undefined {
    return makerOf(name) ?? (hasSidecars && name.endsWith('.json') ? makerOf(name.slice(0, -5)) : undefined);
  }

  return { find: (stem: string) => find(stem), add, makerOf, writerOf };
}

const ELSE = 'give one of them another output name';

function asFolder(earlier: number, line: number, name: string): string {
  return `lines ${earlier} and ${line}: ${quoted(name)} may be the file of one and is a folder of the other; ${ELSE}`;
}

function asSidecar(earlier: number, line: number, name: string): string {
  const file = quoted(`${name}.json`);
  return `lines ${earlier} and ${line} may both write ${file}, one as a sidecar; ${ELSE}, or leave out --sidecar`;
}

function extensionsOf(output: Output): readonly OutputExtension[] {
  return output === 'any' ? Object.values(OUTPUT_EXTENSIONS).flat() : OUTPUT_EXTENSIONS[output];
}

function mayGive(output: Output, extension: OutputExtension): boolean {
  return extensionsOf(output).includes(extension);
}

/** `x` and `x/y` of `x/y/z`. */
export function foldersOf(stem: string): string[] {
  const segments = stem.split('/');
  return segments.slice(1).map((_, at) => segments.slice(0, at + 1).join('/'));
}
