// Who held a slot when and why others were free, submits per minute, and the balance.

import type { BatchTime } from '../answers';
import { Heading } from './heading';
import { credits, date, Failed, Figure, HEIGHT, Limit, number, useAnswer, WIDTH } from './parts';
import { SlotUse } from './slot-use';

const ROW = 6;
const CHARGES = 40;

export function TimeView({ batch, version }: { batch: string; version: number }) {
  const { answer, failed } = useAnswer<BatchTime>(`/batches/${batch}/time`, version);
  if (answer === undefined) return <Failed text={failed} />;
  return (
    <section aria-labelledby="time">
      <Heading level="h2" id="time">
        Time
      </Heading>
      <Failed text={failed} />
      {answer.submits.values.length === 0 ? <p>Nothing was submitted yet.</p> : <Drawings time={answer} />}
    </section>
  );
}

function Drawings({ time }: { time: BatchTime }) {
  const { slots, submits, balance, charges, fromMs } = time;
  return (
    <>
      {time.heldCount === 0 ? (
        <p>No row took a slot.</p>
      ) : (
        <>
          <Held time={time} />
          <SlotUse slots={slots} gaps={time.gaps} limit={time.concurrent} fromMs={fromMs} />
        </>
      )}
      <Submits submits={submits} limit={time.rpm} fromMs={fromMs} />
      <Balance readings={balance} charges={charges} unpriced={time.unpriced} />
    </>
  );
}

/** One line for each row, from its submit until the service said that it is over; what is between them is a gap. */
function Held({ time: { held, heldCount, fromMs, toMs } }: { time: BatchTime }) {
  const lanes: number[] = [];
  const placed = held.map((one) => {
    const free = lanes.findIndex((endMs) => endMs <= one.startMs);
    const lane = free === -1 ? lanes.length : free;
    lanes[lane] = one.endMs;
    return { ...one, lane };
  });
  const xOf = (atMs: number): number => (WIDTH * (atMs - fromMs)) / Math.max(1, toMs - fromMs);
  const said = `Rows in slots, ${number(held.length)} of ${number(heldCount)}, at most ${number(lanes.length)} at once`;
  return (
    <Figure said={said} height={lanes.length * ROW} fromMs={fromMs} toMs={toMs}>
      {placed.map(({ id, status, startMs, endMs, lane }) => (
        <rect
          key={id}
          class={`is-${status}`}
          x={xOf(startMs)}
          y={lane * ROW}
          width={Math.max(1, xOf(endMs) - xOf(startMs) - 0.5)}
          height={ROW - 1}
        >
          <title>{`${id}: ${status}`}</title>
        </rect>
      ))}
    </Figure>
  );
}

interface SubmitsProps {
  submits: BatchTime['submits'];
  limit: number | null;
  fromMs: number;
}

/** The plan counts every request; of these only each row's last submit is on record. */
function Submits({ submits: { values, widthMs }, limit, fromMs }: SubmitsProps) {
  const top = Math.max(...values, limit ?? 0, 1e-9);
  const step = WIDTH / Math.max(1, values.length);
  const plan = limit === null ? '' : `; the plan allows ${number(limit)} requests`;
  const most = credits(Math.max(...values, 0));
  const said = `Submits per minute, without repeated ones and polls: at most ${most}${plan}`;
  const yOf = (value: number): number => HEIGHT - (HEIGHT * value) / top;
  return (
    <Figure said={said} height={HEIGHT} fromMs={fromMs} toMs={fromMs + values.length * widthMs}>
      {values.map((value, i) => (
        <rect
          key={i}
          class="is-done"
          x={i * step}
          y={yOf(value)}
          width={Math.max(0.6, step - 0.4)}
          height={HEIGHT - yOf(value)}
        />
      ))}
      <Limit limit={limit} top={top} />
    </Figure>
  );
}

interface BalanceProps {
  readings: [number, number][];
  charges: [number, number][];
  /** Rows whose cost is not known. */
  unpriced: number;
}

/** The readings as a line where there are two, and what rows cost as bars below it. */
function Balance({ readings, charges, unpriced }: BalanceProps) {
  const isLine = readings.length > 1;
  if (!isLine && charges.length === 0) return null;
  const lineHeight = isLine ? HEIGHT : 0;
  const values = readings.map(([, value]) => value);
  const low = Math.min(...values);
  const span = Math.max(...values) - low || 1;
  const times = [...readings, ...charges].map(([atMs]) => atMs);
  const [fromMs, toMs] = [Math.min(...times), Math.max(...times)];
  const xOf = (atMs: number): number => (WIDTH * (atMs - fromMs)) / Math.max(1, toMs - fromMs);
  const points = readings.map(([atMs, value]) => {
    return `${xOf(atMs).toFixed(1)},${(HEIGHT - 4 - ((HEIGHT - 8) * (value - low)) / span).toFixed(1)}`;
  });
  const dearest = Math.max(...charges.map(([, cost]) => cost), 1e-9);
  const sum = charges.reduce((total, [, cost]) => total + cost, 0);
  const [first = null] = values;
  const fall = `Balance of the account: from ${credits(first)} to ${credits(values.at(-1) ?? null)} credits`;
  const known = charges.length === 0 && unpriced > 0 ? '' : `; rows cost ${credits(sum)}`;
  const rest =
    unpriced === 0 ? '' : `; what ${unpriced === 1 ? '1 row costs' : `${number(unpriced)} rows cost`} is not known`;
  const said = `${isLine ? fall : 'The balance was not read twice'}${known}${rest}`;
  return (
    <Figure said={said} height={lineHeight + CHARGES} fromMs={fromMs} toMs={toMs}>
      {isLine ? <polyline points={points.join(' ')} /> : null}
      {charges.map(([atMs, cost], i) => {
        const height = Math.max(1, (CHARGES * cost) / dearest);
        return (
          <rect
            key={i}
            class="is-done"
            x={Math.min(WIDTH - 2, xOf(atMs))}
            y={lineHeight + CHARGES - height}
            width={2}
            height={height}
          >
            <title>{`${credits(cost)} credits, ${date(atMs)}`}</title>
          </rect>
        );
      })}
    </Figure>
  );
}
