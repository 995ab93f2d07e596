// The slots that a batch held, and above them those that it did not use, each by its cause: in words, colour and pattern.

import type { BatchTime, GapCause, Gaps } from '../answers';
import { credits, duration, Figure, HEIGHT, Limit, number, WIDTH } from './parts';

const CAUSES: readonly [cause: GapCause, words: string][] = [
  ['verdict', 'waiting for a verdict'],
  ['paused', 'paused'],
  ['requests', 'waiting for requests'],
  ['idle', 'nothing to do'],
  ['unknown', 'not known'],
];

interface SlotUseProps {
  slots: BatchTime['slots'];
  gaps: Gaps | null;
  limit: number | null;
  fromMs: number;
}

export function SlotUse({ slots: { values, widthMs }, gaps, limit, fromMs }: SlotUseProps) {
  const shown = CAUSES.filter(([cause]) => (gaps?.totals[cause] ?? 0) > 0);
  const bands = [values, ...shown.map(([cause]) => gaps?.values[cause] ?? [])];
  const sums = values.map((_, bin) => bands.reduce((sum, band) => sum + (band[bin] ?? 0), 0));
  const top = Math.max(...sums, limit ?? 0, 1e-9);
  const plan = limit === null ? '' : `; the plan allows ${number(limit)}`;
  const said = `Slots held, on average of each ${duration(widthMs / 1_000)}: at most ${credits(Math.max(...values, 0))}${plan}`;
  const whole = shown.map(([cause, words]) => `${words} ${shareOf(gaps, cause, values, widthMs)}`).join(', ');
  const below =
    gaps === null ? (
      <p class="soft">Why others were free is not known: no reading of the account says how many slots its plan has.</p>
    ) : (
      <ul class="legend" aria-label="What the slots were, as a share of the time of all of them">
        <Key name="is-done" words={`held ${shareOf(gaps, undefined, values, widthMs)}`} />
        {shown.map(([cause, words]) => (
          <Key
            key={cause}
            name={`gap-${cause}`}
            words={`${words} ${shareOf(gaps, cause, values, widthMs)}, ${duration((gaps.totals[cause] ?? 0) / 1_000)} of one slot`}
          />
        ))}
      </ul>
    );
  const label = whole === '' ? said : `${said}; unused: ${whole}`;
  const toMs = fromMs + values.length * widthMs;
  return (
    <Figure said={said} label={label} height={HEIGHT} fromMs={fromMs} toMs={toMs} below={below}>
      <Patterns />
      {bands.map((band, at) => (
        <Band
          key={at}
          name={at === 0 ? 'is-done' : `gap-${shown[at - 1]?.[0]}`}
          title={at === 0 ? 'held' : (shown[at - 1]?.[1] ?? '')}
          band={band}
          below={bands.slice(0, at)}
          top={top}
        />
      ))}
      <Limit limit={limit} top={top} />
    </Figure>
  );
}

function Band(props: { name: string; title: string; band: number[]; below: number[][]; top: number }) {
  const { name, title, band, below, top } = props;
  const step = WIDTH / Math.max(1, band.length);
  return (
    <g class={name}>
      <title>{title}</title>
      {band.map((value, bin) => {
        if (value <= 0) return null;
        const under = below.reduce((sum, one) => sum + (one[bin] ?? 0), 0);
        const height = (HEIGHT * value) / top;
        const y = HEIGHT - (HEIGHT * under) / top - height;
        return <rect key={bin} class={name} x={bin * step} y={y} width={Math.max(0.6, step - 0.4)} height={height} />;
      })}
    </g>
  );
}

function Key({ name, words }: { name: string; words: string }) {
  return (
    <li>
      <svg class="swatch" viewBox="0 0 20 20" aria-hidden="true">
        <rect class={name} width="20" height="20" />
      </svg>
      {words}
    </li>
  );
}

/** Each cause has lines of its own, for eyes and printers that see no colour. */
function Patterns() {
  const lines: [GapCause, string][] = [
    ['verdict', 'M0 0L8 8'],
    ['paused', 'M2 0V8M6 0V8'],
    ['requests', 'M0 8L8 0'],
    ['idle', 'M0 4H8'],
    ['unknown', 'M3 4H5'],
  ];
  return (
    <defs>
      {lines.map(([cause, path]) => (
        <pattern key={cause} id={`gap-${cause}`} width="8" height="8" patternUnits="userSpaceOnUse">
          <rect class={`ground-${cause}`} width="8" height="8" />
          <path class="hatch" d={path} />
        </pattern>
      ))}
    </defs>
  );
}

/** `12 %` of all slots' time; of what was held without a cause. */
function shareOf(gaps: Gaps | null, cause: GapCause | undefined, values: number[], widthMs: number): string {
  const heldMs = values.reduce((sum, value) => sum + value * widthMs, 0);
  const allMs = heldMs + Object.values(gaps?.totals ?? {}).reduce((sum, ms) => sum + ms, 0);
  const share = (100 * (cause === undefined ? heldMs : (gaps?.totals[cause] ?? 0))) / Math.max(1, allMs);
  return share > 0 && share < 1 ? 'below 1 %' : `${number(Math.round(share))} %`;
}
