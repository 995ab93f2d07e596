// The outputs of a batch, loaded as they come into view; one of them over the whole screen.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ShownRow } from '../answers';
import { Heading } from './heading';
import { Failed } from './parts';
import { choose } from './place';
import { Filters, Pages, type RowsProps, useRows } from './rows';

const LIMIT = 60;
/** How far below what is seen a film is loaded. */
const NEAR = '300px';

export function Gallery({ place, facets, version }: RowsProps) {
  const by = BESIDE.find((one) => one === place.chosen.by) ?? '';
  const { rows, failed, pages } = useRows(place, version, LIMIT, { output: 'yes' });
  const tiles = rows
    .flatMap((row) => row.files.map((file) => ({ row, file })))
    .map((tile, at): Tile => ({ ...tile, at }));
  const { shown, show, go, close } = useWhole(tiles, pages);
  return (
    <section aria-labelledby="gallery">
      <Heading level="h2" id="gallery">
        Gallery
      </Heading>
      <Filters facets={facets && { ...facets, status: [], reasonCode: [] }} chosen={place.chosen} />
      <Failed text={failed} />
      <label>
        Side by side
        <select value={by} onChange={(event) => choose({ by: event.currentTarget.value })}>
          <option value="">no</option>
          <option value="group">by group</option>
          <option value="model">by model</option>
        </select>
      </label>
      {by === '' ? (
        <Tiles tiles={tiles} show={show} />
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
        <section class="beside" aria-label={`Outputs by ${by}`} tabIndex={0}>
          {columnsOf(tiles, by).map(([value, column]) => (
            <div key={value}>
              <h3>{value === '' ? `no ${by}` : value}</h3>
              <Tiles tiles={column} show={show} />
            </div>
          ))}
        </section>
      )}
      <Pages {...pages} />
      {shown === undefined ? null : <Whole {...shown} go={go} close={close} />}
    </section>
  );
}

const BESIDE = ['group', 'model'] as const;

interface Tile {
  row: ShownRow;
  file: ShownRow['files'][number];
  /** Its place among all that are shown. */
  at: number;
}

/** Which tile is shown over the whole screen; going on from the last one of a page shows the first one of the next. */
function useWhole(
  tiles: Tile[],
  { total, offset, loadedOffset, limit, go: turnTo }: ReturnType<typeof useRows>['pages'],
) {
  const [open, setOpen] = useState<{ offset: number; at: number; file?: string }>();
  const isLoaded = open?.offset === loadedOffset;
  // Outputs that come meanwhile move those behind them on: what is looked at stays.
  const known = open?.file === undefined ? undefined : tiles.find(({ file }) => file.file === open.file);
  // Until another page is there, the tile that led to it stays.
  const shown = open && (known ?? tiles.at(isLoaded ? open.at : -1 - open.at));
  useEffect(() => {
    if (!isLoaded || shown === undefined) return;
    // What a person has turned to since then stands.
    setOpen((last) => (last && last === open && last.file === undefined ? { ...last, file: shown.file.file } : last));
  }, [isLoaded, open]);
  const go = (step: number): void => {
    if (shown === undefined || !isLoaded) return;
    const at = shown.at + step;
    const other = offset + step * limit;
    if (tiles[at] !== undefined) setOpen({ offset, at });
    else if (other > -limit && other < total) {
      setOpen({ offset: Math.max(0, other), at: step > 0 ? 0 : -1 });
      turnTo(Math.max(0, other));
    }
  };
  const close = (): void => {
    setOpen(undefined);
    // What opened it may have been on another page.
    document.querySelector<HTMLElement>(`.tile[data-at="${shown?.at}"]`)?.focus();
  };
  return { shown, show: (at: number) => setOpen({ offset, at }), go, close };
}

/** The tiles of each group or model, in the order in which these come first. */
function columnsOf(tiles: Tile[], by: 'group' | 'model'): [string, Tile[]][] {
  const columns = new Map<string, Tile[]>();
  for (const tile of tiles) columns.set(tile.row[by], [...(columns.get(tile.row[by]) ?? []), tile]);
  return [...columns];
}

function Tiles({ tiles, show }: { tiles: Tile[]; show: (at: number) => void }) {
  return (
    <ul class="tiles">
      {tiles.map(({ row, file, at }) => (
        <li key={file.file}>
          <button type="button" class="tile" data-at={at} onClick={() => show(at)} aria-label={`Show ${row.title}`}>
            <Media file={file} label="" />
          </button>
          <span class="words">{row.title}</span>
          <span class="soft words">{[row.group, row.model].filter((text) => text !== '').join(', ')}</span>
        </li>
      ))}
    </ul>
  );
}

interface WholeProps {
  row: ShownRow;
  file: ShownRow['files'][number];
  go: (step: number) => void;
  close: () => void;
}

/** Left and right arrow show the next and the previous one, Escape closes. */
function Whole({ row, file, go, close }: WholeProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const next = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    dialog.current?.showModal();
    next.current?.focus();
  }, []);
  // A film that had the focus is gone with the step, and the keys would go nowhere.
  useLayoutEffect(() => {
    if (!dialog.current?.contains(document.activeElement)) next.current?.focus();
  }, [file.file]);
  const byKey = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    // A film that has the focus is sought by the same keys.
    if (step !== undefined && !(event.target instanceof HTMLMediaElement)) go(step);
  };
  return (
    <dialog ref={dialog} class="whole" aria-labelledby="whole-title" onClose={close} onKeyDown={byKey}>
      <h2 id="whole-title">{row.title}</h2>
      <Media key={file.file} file={file} label={row.title} isWhole />
      <p class="words">{row.prompt}</p>
      <p class="buttons">
        <button type="button" onClick={() => go(-1)}>
          Previous
        </button>
        <button ref={next} type="button" onClick={() => go(1)}>
          Next
        </button>
        <button type="button" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </p>
    </dialog>
  );
}

/** A film or a sound is played only where it is shown whole. */
export function Media({
  file,
  label,
  isWhole = false,
}: {
  file: ShownRow['files'][number];
  label: string;
  isWhole?: boolean;
}) {
  const [family] = file.contentType.split('/');
  if (family === 'image') return <img src={file.url} alt={label} loading="lazy" />;
  if (family === 'video') return <Film url={file.url} label={label} isWhole={isWhole} />;
  if (family !== 'audio') return <span class="mark">▤</span>;
  // biome-ignore lint/a11y/useMediaCaption: a rendered track has no captions.
  return isWhole ? <audio src={file.url} aria-label={label} controls preload="none" /> : <span class="mark">♪</span>;
}

/** Its first frame stands for it; a browser delays no film by itself, so it has no address until it comes near. */
function Film({ url, label, isWhole }: { url: string; label: string; isWhole: boolean }) {
  const film = useRef<HTMLVideoElement>(null);
  const [isNear, setNear] = useState(isWhole);
  useEffect(() => {
    const watch = new IntersectionObserver((seen) => seen.some((one) => one.isIntersecting) && setNear(true), {
      rootMargin: NEAR,
    });
    if (film.current !== null) watch.observe(film.current);
    return () => watch.disconnect();
  }, []);
  const src = isNear ? url : undefined;
  return <video ref={film} src={src} aria-label={label} controls={isWhole} muted={!isWhole} preload="metadata" />;
}
