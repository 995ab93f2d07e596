// Every batch of the account.
import { Bar, credits, date, duration, Fact, Facts, rows } from './parts';
import type { Overview, Status } from './types';

export function Batches({ overview }: { overview: Overview }) {
  const { batches, balance } = overview;
  return (
    <>
      <h1>Batches</h1>
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

export function Summary({ status }: { status: Status }) {
  const { blocked, needPerson, creditsUnknown, etaSeconds } = status;
  const unknown = creditsUnknown > 0 ? `, of ${rows(creditsUnknown)} not known` : '';
  return (
    <>
      <Bar status={status} />
      <Facts>
        <Fact name="State">{status.state === 'unknown' ? 'Temporal does not answer' : status.state}</Fact>
        <Fact name="Rows">{rows(status.rows)}</Fact>
        <Fact name="Credits spent">{`${credits(status.credits)}${unknown}`}</Fact>
        {etaSeconds === null ? null : <Fact name="Ends in about">{duration(etaSeconds)}</Fact>}
        <Fact name="Last row ended">{date(status.lastEndedAt)}</Fact>
      </Facts>
      {blocked === null ? null : <p class="notice">Blocked: {blocked}</p>}
      {needPerson === 0 ? null : (
        <p class="notice">{`${rows(needPerson)} ${needPerson === 1 ? 'needs' : 'need'} a person`}</p>
      )}
      {status.state === 'sampled' ? <p class="notice">The sample is there: look at it and approve the rest.</p> : null}
    </>
  );
}
