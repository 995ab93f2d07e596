import { setTimeout as delay } from 'node:timers/promises';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EmulatorOptions, type FaultRule, parsePriceRules } from '../../emulator/emulator.js';
import type { Log } from '../../src/domain/log.js';
import type { Row } from '../../src/domain/row.js';
import { type Home, openHome } from '../../src/home/home.js';
import { readBooks, readLearned } from '../../src/home/learned.js';
import { readTrust, trust } from '../../src/home/verdicts.js';
import { createFolderStore } from '../../src/store/folder.js';
import { avatarRow, filmRow, imageRow, type Stack, startStack } from '../support/stack.js';
import { hasTemporal, startTemporal } from '../support/temporal.js';
import { until } from '../support/until.js';

const SPEED = 200;
/** A film of 4 s at 0.1 credits a second. */
const FILM_NANO = 400_000_000;
/** What a fault holds back comes when the test says so. */
const NEVER_SECONDS = 1e6;
/** Short longest renders: a verdict then takes Θ + 120 s + Λ, 2.1 s of the clock. */
const WAITS = {
  lambdaMs: 120_000,
  thetaMs: 180_000,
  syncMaxMs: 900_000,
  // A refund comes soon here, so that a case need not wait for one that might.
  rhoMs: 120_000,
  renderMaxMs: { 'vendor-f': 120_000, 'vendor-a': 120_000, default: 600_000 },
};
const RENDERS = { 'vendor-f': [60, 60], 'vendor-a': [60, 60], 'svc/image': [1, 1] } as const;
const AVATAR_PRICES = parsePriceRules([{ kind: 'vendor-b/avatar', components: [{ unit: 'second', credits: '0.1' }] }]);
const MOTION_PRICE = { kind: 'vendor-a/motion-control', components: [{ unit: 'input-second', credits: '0.1' }] };

const firstFilm = (...action: Extract<FaultRule['action'], unknown[]>): FaultRule => ({
  match: { route: 'vendor-f.submit', nth: 1 },
  action,
});
const LOST_CREATED = firstFilm({ do: 'reset-before-answer', created: true });
/** A reservation may come back as long as its job may run: until then it could hide another film's charge. */
const nothingComesBack = () =>
  delay((WAITS.thetaMs + WAITS.renderMaxMs['vendor-f'] + WAITS.rhoMs + 2 * WAITS.lambdaMs) / SPEED);
const NEVER_CREATED: FaultRule = { match: { route: 'vendor-f.submit', nth: 1 }, action: { do: 'close-unread' } };

describe.skipIf(!hasTemporal())('money that does what nobody expects, against the ground truth', () => {
  let temporal: TestWorkflowEnvironment;
  beforeAll(async () => {
    temporal = await startTemporal();
  });
  afterAll(() => temporal?.teardown());

  interface Account extends Stack {
    home: Home;
    /** Messages of warnings and errors. */
    said: string[];
    /** Runs one row in a batch named after it. */
    runRow(row: Row, ambiguity?: 'hold' | 'if-proved'): Promise<Ended>;
    ended(id: string): Promise<Ended>;
    verdicts(id: string): Promise<string[]>;
  }
  interface Ended {
    status: string | undefined;
    reasonCode: string | undefined;
    attempts: number;
  }

  async function onAccount(
    account: string,
    emulator: EmulatorOptions,
    look: (account: Account) => Promise<void>,
    waits = WAITS,
    speed = SPEED,
  ): Promise<void> {
    const said: string[] = [];
    const note = (_: unknown, message: string): void => {
      said.push(message);
    };
    const log: Log = { info: () => undefined, warn: note, error: note };
    const stack = await startStack({
      temporal,
      account,
      speed,
      log,
      emulator: { renderSeconds: RENDERS, prices: AVATAR_PRICES, ...emulator },
      settings: { waits },
    });
    stack.settings.prices.push(MOTION_PRICE as never);
    const ended = async (id: string): Promise<Ended> => {
      const record = await stack.record(id, id);
      const { length } = await stack.ledger.read(id, id);
      return { status: record?.status, reasonCode: record?.reasonCode, attempts: length };
    };
    try {
      await stack.startWorker();
      await look({
        ...stack,
        said,
        home: openHome(createFolderStore(stack.settings.home), account),
        ended,
        async runRow(row, ambiguity = 'if-proved') {
          await stack.run(row.id, [row], { policy: { ambiguity } });
          return ended(row.id);
        },
        async verdicts(id) {
          const states = (await stack.ledger.read(id, id)).flatMap((attempt) => attempt.states);
          return states.flatMap((state) => (state.state === 'verdict' ? [state.verdict] : []));
        },
      });
    } finally {
      await stack.stop();
    }
  }

  /** Starts a batch of one film and waits until its answer is lost. */
  async function loseFilm({ supply, seed, ledger }: Account, id: string): Promise<void> {
    await supply(id, await seed(id, [filmRow(id)]), { policy: { ambiguity: 'if-proved' } });
    await until(async () => (await ledger.read(id, id)).at(-1)?.states.at(-1)?.state === 'unknown');
  }

  const spentNano = ({ emulator }: Stack): number => {
    const { startNano, nowNano } = emulator.truth().account.balance;
    return startNano - nowNano;
  };

  it.concurrent('F7: a job that is created half of Θ after its answer was lost is found billed, never sent again', () =>
    // Slowly, so that an early look has time for a wrong verdict.
    onAccount(
      'late',
      { faults: [firstFilm({ do: 'create-late', serviceSeconds: 90 })] },
      async (account) => {
        expect(await account.runRow(filmRow('one'))).toMatchObject({ status: 'lost_paid', attempts: 1 });
        expect(await account.verdicts('one')).toEqual(['billed']);
        expect(account.emulator.truth().jobs).toHaveLength(1);
      },
      WAITS,
      20,
    ));

  it.concurrent('F8: a job that is created after Θ contradicts its verdict: alarm, and if-proved is off until a person turns it on', () =>
    onAccount(
      'too-late',
      { faults: [firstFilm({ do: 'create-late', serviceSeconds: NEVER_SECONDS })] },
      async (account) => {
        const { emulator, home } = account;
        expect(await account.runRow(filmRow('one'), 'hold')).toMatchObject({ reasonCode: 'answer_lost_unbilled' });
        expect(emulator.truth().jobs).toHaveLength(0);
        emulator.hurry();
        await until(() => spentNano(account) === FILM_NANO);
        await account.runRow(imageRow('two'));
        expect(await account.ended('one')).toMatchObject({ status: 'review', reasonCode: 'verdict_contradicted' });
        expect(await account.verdicts('one')).toEqual(['not_billed', 'billed']);
        expect(await readTrust(home)).toMatchObject({ trusted: false, who: 'callsheet' });
        expect(account.said).toContain('a verdict was contradicted; if-proved is off for this account');

        await nothingComesBack();
        emulator.setFaults([NEVER_CREATED]);
        expect(await account.runRow(filmRow('three'))).toEqual({
          status: 'failed',
          reasonCode: 'answer_lost_unbilled',
          attempts: 1,
        });
        await trust(home, { who: 'a person', why: 'looked at it', atMs: Date.now() });
        emulator.setFaults([NEVER_CREATED]);
        expect(await account.runRow(filmRow('four'))).toMatchObject({ status: 'done', attempts: 2 });
      },
    ));

  it.concurrent('F32: a charge that comes an hour after completion contradicts its verdict: alarm', () =>
    onAccount(
      'hour-late',
      {
        chargeAt: { 'vendor-f': 'completion' },
        faults: [
          firstFilm({ do: 'reset-before-answer', created: true }, { do: 'late-charge', serviceSeconds: NEVER_SECONDS }),
        ],
      },
      async (account) => {
        expect(await account.runRow(filmRow('one'), 'hold')).toMatchObject({ reasonCode: 'answer_lost_unbilled' });
        account.emulator.hurry();
        await until(() => spentNano(account) === FILM_NANO);
        await account.runRow(imageRow('two'));
        expect(await account.ended('one')).toMatchObject({ status: 'review', reasonCode: 'verdict_contradicted' });
        expect((await readTrust(account.home))?.trusted).toBe(false);
      },
    ));

  it.concurrent('F19: two jobs for one handle: the second is shown as unattributed, with an alarm, and the row is fetched once', () =>
    onAccount('doubled', { faults: [firstFilm({ do: 'double-job' })] }, async (account) => {
      expect(await account.runRow(filmRow('one'))).toMatchObject({ status: 'done', attempts: 1 });
      expect(spentNano(account)).toBe(2 * FILM_NANO);
      const books = await readBooks(account.home, 'one');
      expect(books?.unattributed?.lo).toBeGreaterThanOrEqual(FILM_NANO - 1_000);
      expect(account.said).toContain('the balance moved by more than is known here');
      expect((await account.record('one', 'one'))?.creditsNano).toBe(FILM_NANO);
    }));

  it.concurrent('F27: Λ grows with what was seen late, so that a bill beyond the setting is waited for', () =>
    onAccount(
      'lagging',
      { balanceLagSeconds: 300, renderSeconds: { ...RENDERS, 'vendor-b': [900, 900] } },
      async (account) => {
        await account.run('learn', [imageRow('early'), avatarRow('slow')]);
        expect((await readLearned(account.home)).latenessMs).toBeGreaterThan(2 * WAITS.lambdaMs);
        // What was late is there; then a film's bill shows 300 s late again, after the last look of the setting.
        account.emulator.setBalanceLag(0);
        await account.runRow(imageRow('between'));
        account.emulator.setFaults([firstFilm({ do: 'create-late', serviceSeconds: 170 })]);
        await loseFilm(account, 'one');
        account.emulator.setBalanceLag(300);
        await account.result('one');
        expect(await account.ended('one')).toMatchObject({ status: 'lost_paid', attempts: 1 });
      },
      { ...WAITS, renderMaxMs: { ...WAITS.renderMaxMs, 'vendor-f': 60_000 } },
      60,
    ));

  it.concurrent('F27: readings that go backwards bring no early verdict, for a job and for none', () => {
    const backwards: FaultRule = {
      match: { route: 'credits', everyNth: 2 },
      action: { do: 'show-old-balance', serviceSeconds: 100 },
    };
    return onAccount('backwards', { faults: [LOST_CREATED, backwards] }, async (account) => {
      expect(await account.runRow(filmRow('one'))).toMatchObject({ status: 'lost_paid', attempts: 1 });
      await nothingComesBack();
      account.emulator.setFaults([NEVER_CREATED, backwards]);
      expect(await account.runRow(filmRow('two'))).toMatchObject({ status: 'done', attempts: 2 });
    });
  });

  it.concurrent('F28: a balance that cannot be read brings no verdict; noise in it brings none either', () =>
    onAccount('unreadable', { faults: [NEVER_CREATED] }, async (account) => {
      const { emulator, ledger } = account;
      await loseFilm(account, 'one');
      for (const action of [
        { do: 'refuse', code: 'server_error' },
        { do: 'show-balance', value: null },
        { do: 'show-balance', value: '99.5' },
      ] as const) {
        emulator.setFaults([{ match: { route: 'credits' }, action }]);
        await delay(1_200);
      }
      expect(await account.verdicts('one')).toEqual([]);
      expect((await ledger.read('one', 'one')).at(-1)?.states.at(-1)?.state).toBe('unknown');
      emulator.setFaults([
        { match: { route: 'credits', everyNth: 2 }, action: { do: 'add-balance-noise', amount: 1e-12 } },
      ]);
      await account.result('one');
      expect(await account.ended('one')).toMatchObject({ status: 'done', attempts: 2 });
      expect((await readBooks(account.home, 'one'))?.unattributed).toEqual({ lo: 0, hi: 0 });
    }));

  it.concurrent('F29: a top-up during a case is recognised, and the verdict stays right', () =>
    onAccount('topped-up', { faults: [LOST_CREATED] }, async (account) => {
      await loseFilm(account, 'one');
      account.emulator.topUp('20');
      await account.result('one');
      expect(await account.ended('one')).toMatchObject({ status: 'lost_paid', attempts: 1 });
      await nothingComesBack();
      account.emulator.setFaults([NEVER_CREATED]);
      await loseFilm(account, 'two');
      account.emulator.topUp('20');
      await account.result('two');
      expect(await account.ended('two')).toMatchObject({ status: 'done', attempts: 2 });
      expect(await readBooks(account.home, 'two')).toMatchObject({ topUpNano: 20e9, unattributed: { lo: 0, hi: 0 } });
    }));

  it.concurrent('F30: what somebody else spends during a case leaves it undecided, with an alarm', () =>
    onAccount('shared', { faults: [NEVER_CREATED] }, async (account) => {
      await loseFilm(account, 'one');
      account.emulator.foreignSpend('0.9');
      await account.result('one');
      expect(await account.ended('one')).toMatchObject({ status: 'review', attempts: 1 });
      expect((await account.record('one', 'one'))?.reason).toContain('someone else seems to spend from this account');
      expect(account.said).toContain('the balance moved by more than is known here');
      expect(account.emulator.truth().jobs).toHaveLength(0);
    }));

  /** Half price on films, from some service seconds after now. */
  const halfPrice = (fromSeconds: number, toSeconds: number | null) => {
    const at = (seconds: number): string => new Date(Date.now() + (seconds * 1_000) / SPEED).toISOString();
    const effective_to = toSeconds === null ? null : at(toSeconds);
    return { entrypoint: 'vendor-f' as const, multiplier: 0.5, effective_from: at(fromSeconds), effective_to };
  };
  const rendersLong = firstFilm(
    { do: 'reset-before-answer', created: true },
    { do: 'render-seconds', serviceSeconds: 1_000 },
  );
  const cached: FaultRule = {
    match: { route: 'discounts' },
    action: { do: 'show-old-discounts', serviceSeconds: 120 },
  };
  const longWaits = { ...WAITS, renderMaxMs: { ...WAITS.renderMaxMs, 'vendor-f': 1_800_000 } };
  const atTheEnd = { 'vendor-f': 'completion' } as const;

  it.concurrent('F31: a discount that starts while a lost job renders widens its price, behind a cached answer too', () =>
    onAccount(
      'cheaper',
      { chargeAt: atTheEnd, faults: [rendersLong, cached] },
      async (account) => {
        await loseFilm(account, 'one');
        account.emulator.setDiscounts([halfPrice(0, null)]);
        await account.result('one');
        expect(account.emulator.truth().jobs[0]?.chargedNano).toBe(FILM_NANO / 2);
        expect(await account.ended('one')).toMatchObject({ status: 'lost_paid', attempts: 1 });
      },
      longWaits,
    ));

  it.concurrent('F31: a discount that ends while a lost job renders widens its price, behind a cached answer too', () =>
    onAccount(
      'dearer',
      { chargeAt: atTheEnd, faults: [rendersLong, cached], discounts: [halfPrice(-36_000, null)] },
      async (account) => {
        await loseFilm(account, 'one');
        account.emulator.setDiscounts([halfPrice(-36_000, 0)]);
        await account.result('one');
        expect(account.emulator.truth().jobs[0]?.chargedNano).toBe(FILM_NANO);
        expect(await account.ended('one')).toMatchObject({ status: 'lost_paid', attempts: 1 });
      },
      longWaits,
    ));

  it.concurrent('F34: a follow-up charge of motion control is attributed to its row', () => {
    const faults: FaultRule[] = [
      {
        match: { route: 'vendor-a.submit' },
        action: { do: 'follow-up-charge', credits: '0.25', serviceSeconds: 100 },
      },
    ];
    const options = { faults, renderSeconds: { ...RENDERS, 'vendor-b': [300, 300] as const } };
    return onAccount(
      'follow-up',
      options,
      async (account) => {
        const media = (name: string) => [{ source: 'url' as const, url: `https://example.com/${name}` }];
        const row: Row = {
          ...filmRow('one'),
          kind: 'vendor-a/motion-control',
          cells: { character_orientation: 'image', input_video_seconds: 3 },
          media: { image: media('a.png'), video: media('b.mp4') },
        };
        expect(await account.runRow(row)).toMatchObject({ status: 'done', attempts: 1 });
        const [job] = account.emulator.truth().jobs;
        await until(() => (job?.chargedNano ?? 0) > 300_000_000);
        // An avatar is charged at its end alone: until then the balance shows what was charged before.
        await account.runRow(avatarRow('two'));
        expect(await account.record('one', 'one')).toMatchObject({
          creditsNano: 550_000_000,
          creditsBasis: 'measured',
        });
        expect(job?.chargedNano).toBe(550_000_000);
      },
      WAITS,
      60,
    );
  });
});
