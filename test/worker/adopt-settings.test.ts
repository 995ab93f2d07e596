import { expect, test } from 'vitest';
import type { AccountSettings } from '../../src/contract/account.js';
import { DEFAULT_S3 } from '../../src/domain/s3.js';
import { adoptSettings, tellAlso } from '../../src/worker/adopt-settings.js';

const known = {
  account: 'a',
  baseUrl: 'https://api.example',
  userAgent: 'callsheet',
  home: '/home',
  exclusive: true,
  limits: { concurrency: 2, rpm: null },
  prices: [{ kind: 'svc/image', components: [{ unit: 'request', credits: '1' }] }],
  waits: {
    ...{ lambdaMs: 120_000, thetaMs: 180_000, rhoMs: 1_800_000, syncMaxMs: 900_000 },
    renderMaxMs: { default: 3_600_000, 'vendor-f': 1_800_000 },
  },
  timeScale: 1,
  callbacks: { url: null, listen: null },
  s3: {},
} as unknown as AccountSettings;

test('6-O3: a second command without a limit of its own changes nothing of the first, and nothing stops for it', () => {
  const asked = { ...known, limits: { concurrency: null, rpm: 30 } };
  expect(adoptSettings(known, asked, true)).toEqual({
    change: 'in place',
    settings: { ...known, limits: { concurrency: 2, rpm: 30 } },
  });
});

test('6-O3: a limit that is given anew holds, and with no batch open every setting is the new command’s', () => {
  const higher = { ...known, limits: { concurrency: 8, rpm: null } };
  expect(adoptSettings(known, higher, true)).toMatchObject({ settings: { limits: { concurrency: 8 } } });
  const bare = { ...known, exclusive: false, limits: { concurrency: null, rpm: null }, prices: [] };
  expect(adoptSettings(known, bare, false)).toEqual({ change: 'in place', settings: bare });
});

test('how buckets are reached stays as open batches have it where a command does not say it', () => {
  const s3 = { ...DEFAULT_S3, endpoint: 'https://s3.example', forcePathStyle: true };
  const served = { ...known, s3 };
  const settingsOf = (asked: AccountSettings, isOpen: boolean) => adoptSettings(served, asked, isOpen);
  const unsaid = { ...known, s3: DEFAULT_S3, isS3Unsaid: true as const };
  expect(settingsOf(unsaid, true)).toMatchObject({ change: 'in place', settings: { s3 } });
  expect(settingsOf(unsaid, false)).toMatchObject({ change: 'new worker', settings: { s3: DEFAULT_S3 } });
  // Its fields belong together: the endpoint of another command says nothing of a region of this one.
  const other = { ...DEFAULT_S3, region: 'eu-central-1' };
  expect(settingsOf({ ...known, s3: other }, true)).toMatchObject({ change: 'new worker', settings: { s3: other } });
});

test('6-O3: a contradiction about the account is refused in words while batches are open', () => {
  const adopted = adoptSettings(known, { ...known, exclusive: false }, true);
  expect(adopted).toMatchObject({ change: 'refused', why: expect.stringContaining('account.exclusive') });
});

test('6-O3: another home wants a worker of its own', () => {
  expect(adoptSettings(known, { ...known, home: '/other' }, true)).toMatchObject({ change: 'new worker' });
});

test('6-O3: no second command makes the waits of open batches shorter; with none open they are its own', () => {
  const waits = {
    ...{ lambdaMs: 1_000, thetaMs: 400_000, rhoMs: 1_000, syncMaxMs: 1_000 },
    renderMaxMs: { default: 2_000_000, 'vendor-a': 7_200_000 },
  };
  const asked = { ...known, waits };
  expect(adoptSettings(known, asked, true)).toMatchObject({
    settings: {
      waits: {
        ...{ lambdaMs: 120_000, thetaMs: 400_000, rhoMs: 1_800_000, syncMaxMs: 900_000 },
        renderMaxMs: { default: 3_600_000, 'vendor-f': 2_000_000, 'vendor-a': 7_200_000 },
      },
    },
  });
  expect(adoptSettings(known, asked, false)).toMatchObject({ settings: { waits } });
});

test('a command that does not say whether the account is exclusive leaves it as open batches run with it', () => {
  const unsaid: AccountSettings = { ...known, exclusive: false, isExclusiveUnsaid: true };
  expect(adoptSettings(known, unsaid, true)).toMatchObject({ change: 'in place', settings: { exclusive: true } });
  expect(adoptSettings(known, unsaid, false)).toMatchObject({ settings: { exclusive: false } });
});

test('whom a command names is told beside those whom commands before it named', () => {
  const notices = (...to: string[]) => to.map((one) => ({ to: one, isOwn: true, secret: null, isKept: false }));
  const told = { ...known, notices: notices('command:one') };
  const settingsOf = (asked: AccountSettings) => adoptSettings(told, asked, false);
  expect(settingsOf({ ...known, notices: notices() })).toMatchObject({ settings: { notices: told.notices } });
  expect(settingsOf({ ...known, notices: notices('command:two', 'command:one') })).toMatchObject({
    change: 'in place',
    settings: { notices: notices('command:two', 'command:one') },
  });
  expect(settingsOf({ ...known, notices: notices('command:two') })).toMatchObject({
    settings: { notices: notices('command:two', 'command:one') },
  });
});

test('each webhook keeps its secret: that of another command signs only what its own targets are sent', () => {
  const notices = (to: string, secret: string | null) => [{ to, isOwn: true, secret, isKept: false }];
  const told = { ...known, notices: notices('https://one.example', 'first') };
  const noticesOf = (asked: AccountSettings['notices']) => {
    const adopted = adoptSettings(told, { ...known, ...(asked && { notices: asked }) }, true);
    return adopted.change === 'refused' ? adopted.why : adopted.settings.notices;
  };
  expect(noticesOf(notices('https://two.example', 'second'))).toEqual([
    ...notices('https://two.example', 'second'),
    ...notices('https://one.example', 'first'),
  ]);
  expect(noticesOf(notices('https://two.example', null))).toEqual([
    ...notices('https://two.example', null),
    ...notices('https://one.example', 'first'),
  ]);
  expect(noticesOf(notices('https://one.example', null))).toEqual(notices('https://one.example', 'first'));
  expect(noticesOf(notices('https://one.example', 'new'))).toEqual(notices('https://one.example', 'new'));
});

test('a file of a folder that names a target too takes nothing from what the user said of it', () => {
  const own = { to: 'https://hooks.example', isOwn: true, secret: 'word', isKept: true };
  const asked = { ...known, notices: [{ ...own, isOwn: false, secret: null, isKept: false }] };
  expect(adoptSettings({ ...known, notices: [own] }, asked, true)).toMatchObject({ settings: { notices: [own] } });
});

test('a command that brings its key alone leaves the settings, and whom it names is told too', () => {
  const notices = (to: string) => [{ to, isOwn: true, secret: null, isKept: true }];
  const served = { ...known, notices: notices('command:one') };
  const asked = { ...known, exclusive: false, limits: { concurrency: 9, rpm: 9 }, notices: notices('command:two') };
  expect(tellAlso(served, asked)).toEqual({
    ...served,
    notices: [...notices('command:two'), ...notices('command:one')],
  });
});
