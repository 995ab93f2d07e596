// Every batch of the account.
import { orderWords } from '../../domain/order-words';
import { Heading } from './heading';
import { Bar, credits, date, duration, Fact, Facts, number, rows } from './parts';
import type { EtaBound, Overview, Status } from './types';

export function Batches({ overview }: { overview: Overview }) {
  const { batches, balance } = overview;
  return (
    <>
      <Heading level="h1">Batches</Heading>
      <p class="soft">
        Account {overview.account}
        {balance === null ? '' : `, balance ${credits(balance.credits)} credits (${date(balance.atMs)})`}
      </p>
      {batches.length === 0 ? <p>No batch yet: `callsheet run` starts one.</p> : null}
      <ul class="cards">
        {[...batches].reverse().map((batch) => (
          <li key={batch.batch} class="card">
            <h2>
              <a href={`#/b/${batch.batch}`}>{batch.batch}</a>
            </h2>
            <Summary status={batch} />
          </li>
        ))}
      </ul>
    </>
  );
}

const BOUNDS: Record<EtaBound, string> = {
  slots: 'simultaneous jobs',
  requests: 'requests per minute',
  credits: 'credits, which do not suffice for the rest',
  longest_job: 'the longest job',
  chains: 'rows that wait for others',
};

/** A range with what binds; nothing for a batch that stands still. */
function Eta({ status: { eta, state, blocked } }: { status: Status }) {
  if (eta === null) {
    return state === 'running' && blocked === null ? <Fact name="Ends in">not known yet</Fact> : null;
  }
  const { lowSeconds, highSeconds, bound } = eta;
  if (highSeconds === 0) return null;
  const [low, high] = [duration(lowSeconds), duration(highSeconds)];
  const range = low === high ? high : `${low} to ${high}`;
  return <Fact name="Ends in">{bound === null ? range : `${range}, bound by ${BOUNDS[bound]}`}</Fact>;
}

const STOPPED: Record<NonNullable<Status['stopped']>, string> = {
  budget_reached: 'Its budget was reached before its last row: it goes on with a higher one.',
  too_many_failures: 'It stopped because too many rows failed: see why, then resume it.',
};

const GOES_ON = ['running', 'cancelling', 'writing results', 'unknown'];

/** True where nothing more happens until a person does something. */
function isUpToPerson({ state, needPerson, stopped, waitsForRetry, counts, left }: Status): boolean {
  if (GOES_ON.includes(state)) return false;
  const again = (counts.failed ?? 0) + (counts.cancelled ?? 0);
  const waits = stopped !== null || waitsForRetry || left !== undefined;
  return state !== 'finished' || waits || needPerson + again > 0;
}

/** Whom they are for and why they were dropped, `status` says. */
function NoticesLeft({ status: { batch, notices } }: { status: Status }) {
  if (notices === undefined) return null;
  const { waiting, dropped } = notices;
  const of = (count: number, one: string, more: string): string[] =>
    count === 0 ? [] : [`${number(count)} ${count === 1 ? one : more}`];
  const parts = [
    ...of(waiting.length, 'notice waits to be delivered', 'notices wait to be delivered'),
    ...of(dropped.length, 'notice was dropped', 'notices were dropped'),
  ];
  return <p class="notice">{`${parts.join(', ')}: \`callsheet ${orderWords('status', batch)}\` says for whom.`}</p>;
}

export function Summary({ status }: { status: Status }) {
  const { blocked, needPerson, credits: spent, creditsUnknown, creditsExpected: expected, stopped } = status;
  const unknown = creditsUnknown > 0 ? `, of ${rows(creditsUnknown)} not known` : '';
  return (
    <>
      <Bar status={status} />
      <Facts>
        <Fact name="State">{status.state === 'unknown' ? 'Temporal or its worker does not answer' : status.state}</Fact>
        <Fact name="Rows">{rows(status.rows)}</Fact>
        <Fact name="Credits spent">{`${credits(spent)}${unknown}`}</Fact>
        {expected === null || expected === spent ? null : (
          <Fact name="Credits expected">{`${credits(expected)}, if open rows cost as planned, or as those of their kind`}</Fact>
        )}
        <Eta status={status} />
        <Fact name="Last row ended">{date(status.lastEndedAt)}</Fact>
      </Facts>
      {blocked === null ? null : <p class="notice">Blocked: {blocked}</p>}
      {stopped === null ? null : <p class="notice">{STOPPED[stopped]}</p>}
      {needPerson === 0 ? null : (
        <p class="notice">{`${rows(needPerson)} ${needPerson === 1 ? 'needs' : 'need'} a person`}</p>
      )}
      {status.state === 'sampled' ? <p class="notice">The sample is there: look at it and approve the rest.</p> : null}
      {status.waitsForRetry ? (
        <p class="notice">What feeds rows came after they had ended: a retry runs them.</p>
      ) : null}
      <NoticesLeft status={status} />
      {isUpToPerson(status) ? (
        <p class="soft">
          Next, on the command line: <code>{status.next}</code>
        </p>
      ) : null}
    </>
  );
}
