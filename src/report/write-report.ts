import { isS3Address } from '../domain/s3.js';
import type { Home } from '../home/home.js';
import type { Store } from '../store/port.js';
import type { ReportRows, ShownOutput } from './collect.js';
import { publicPage, type Tile } from './media-page.js';
import type { Posters } from './posters.js';
import { reportPage } from './report-page.js';
import { readReportTerms } from './report-terms.js';

/** Writes a batch's report into its folder, replaced whole. */

export const REPORT_NAME = 'report.html';
/** For a client: media and titles. */
export const PUBLIC_REPORT_NAME = 'report-public.html';

const POSTERS_MAX = 200;
/** Below 2 MB whatever the outputs are, so that it goes by mail. */
const PAGE_BYTES_MAX = 1_950_000;
const SIDE_BY_SIDE = 2;
/** Posters that one ffmpeg makes: each file that is open takes memory, and one of a bucket room on the disk. */
const AT_ONCE = 4;
/** A report is never what a batch waits long for: outputs that have no poster by then have a tile. */
const POSTERS_TIME_MAX_MS = 120_000;

export interface ReportPlace {
  home: Home;
  /** Where the batch writes to. */
  out: Store;
  batch: string;
  generation: string;
  nowMs: number;
  /** Undefined: tiles alone. */
  posters: Posters | undefined;
  isPublic: boolean;
}

/** Gives the page. */
export async function writeReport(place: ReportPlace, rows: ReportRows): Promise<string> {
  const { home, out, batch, generation, isPublic, nowMs } = place;
  const terms = await readReportTerms(home, { batch, generation }, nowMs);
  const pageOf = (tiles: readonly Tile[]): string =>
    isPublic ? publicPage(batch, rows, tiles) : reportPage(rows, terms, tiles);
  const chosen = evenly(rows.outputs, POSTERS_MAX).map((output): Tile => ({ output, poster: undefined }));
  const room = PAGE_BYTES_MAX - Buffer.byteLength(pageOf(chosen));
  const page = pageOf(await withPosters(place, chosen, room));
  await out.put(`${batch}/${isPublic ? PUBLIC_REPORT_NAME : REPORT_NAME}`, Buffer.from(page));
  return page;
}

async function withPosters({ out, batch, posters }: ReportPlace, tiles: Tile[], room: number): Promise<Tile[]> {
  if (posters === undefined) return tiles;
  const done = [...tiles];
  const untilMs = performance.now() + POSTERS_TIME_MAX_MS;
  const atOnce = isS3Address(out.location) ? 1 : AT_ONCE;
  let left = room;
  let next = 0;
  const work = async (): Promise<void> => {
    for (let first = next; first < tiles.length && performance.now() < untilMs; first = next) {
      next += atOnce;
      // What was copied within a bucket stays there: the report has its link.
      const some = [...tiles.entries()]
        .slice(first, first + atOnce)
        .filter(([, { output }]) => !(output.isReused && isS3Address(out.location)));
      const asked = some.map(([, { output }]) => ({ key: `${batch}/${output.file.file}`, file: output.file }));
      for (const [i, poster] of (await posters.postersOf(out, asked, untilMs)).entries()) {
        const bytes = poster === undefined ? 0 : Math.ceil(poster.bytes.length / 3) * 4 + 100;
        const [at, tile] = some[i] ?? [];
        if (at === undefined || tile === undefined || bytes > left) continue;
        left -= bytes;
        done[at] = { ...tile, poster };
      }
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, work));
  return done;
}

function evenly(outputs: readonly ShownOutput[], max: number): ShownOutput[] {
  if (outputs.length <= max) return [...outputs];
  return Array.from({ length: max }, (_, i) => outputs[Math.floor((i * outputs.length) / max)] as ShownOutput);
}
