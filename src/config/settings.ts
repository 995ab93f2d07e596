import { join, resolve } from 'node:path';
import { NANO_PER_CREDIT } from '../domain/money.js';
import type { NoticeTarget } from '../domain/notice.js';
import { S3_ENCRYPTIONS, S3_STORAGE_CLASSES } from '../domain/s3.js';
import { CALLBACK_PROVIDERS, RENDER_MAX_SECONDS } from '../kinds/facts.js';
import {
  credits,
  flagOnly,
  folder,
  integer,
  json,
  oneOf,
  type PlacedSetting,
  placedSettings,
  type ShownOn,
  seconds,
  setting,
  text,
  type Values,
} from './setting.js';

/** Every setting once: its flag, what it may hold, its default, its help. File, variables, type and commands follow. */

const EVERYWHERE: readonly ShownOn[] = ['run', 'connection', 'places', 'limits', 'slots'];
const PLACES: readonly ShownOn[] = ['run', 'places'];
const BUDGET: readonly ShownOn[] = ['run', 'limits'];
const SLOTS: readonly ShownOn[] = ['run', 'slots'];
const RUN: readonly ShownOn[] = ['run'];

/** As `callsheet.config.json` has them, in the order of `callsheet config show`; `%s` in a help is the default. */
export const SETTINGS_TREE = {
  baseUrl: text('base-url <url>', 'the service, https://host (http only on this machine)', EVERYWHERE),
  userAgent: setting<string, string>(
    'text',
    'user-agent <text>',
    (is) => is.visibleAscii,
    ({ version }) => `callsheet/${version}`,
    'what callsheet calls itself to the service',
  ),
  out: folder(
    'out',
    ({ cwd }) => resolve(cwd, 'out'),
    'where files go, also s3://bucket/prefix (default ./out)',
    PLACES,
  ),
  data: folder('data', ({ data }) => data, "the engine's data folder", EVERYWHERE),
  home: folder(
    'home',
    ({ data }) => join(data, 'home'),
    'where the durable records live, also s3://bucket/prefix (default: in the data folder)',
    EVERYWHERE,
  ),
  account: {
    name: setting<string, string>(
      'text',
      'account <name>',
      (is) => is.word,
      ({ rehearsalPort }) => (rehearsalPort === undefined ? 'default' : `rehearsal-${rehearsalPort}`),
      'whose caps, balance and ledger (default: default; loopback: rehearsal-<port>)',
      EVERYWHERE,
    ),
    exclusive: flagOnly('exclusive', 'nothing else spends from this account', RUN),
  },
  ambiguity: oneOf(
    'ambiguity <policy>',
    ['hold', 'if-proved', 'always'],
    'hold',
    'after a lost answer: hold, if-proved (needs --exclusive), or always (needs --always-max-waste)',
    RUN,
  ),
  alwaysMaxWaste: credits('always-max-waste', 0, 'the most that always and sync.maxWaste may pay twice per batch'),
  sync: {
    maxWaste: credits(
      'max-waste',
      0,
      'a synchronous request below this price whose lost answer stays undecided is paid once more (default %s = never)',
    ),
  },
  waits: {
    lambdaSeconds: seconds('lambda-seconds', 120, 'how late the balance can be (default %s)'),
    thetaSeconds: seconds('theta-seconds', 180, 'how late a job can appear after we gave up (default %s)'),
    /** The documents show no end of such a call. */
    syncMaxSeconds: seconds('sync-max-seconds', 900, 'the longest image, edit or interaction call (default %s)', 1),
    rhoSeconds: seconds('rho-seconds', 1_800, 'how late a refund can be after the end (default %s)'),
    /** By provider, with a `default`: vendor-f 30 minutes, the others an hour (design: the credits check). */
    renderMaxSeconds: json(
      'render-max-seconds',
      (is) => is.renderMax,
      RENDER_MAX_SECONDS,
      `the longest render by provider, ${JSON.stringify(RENDER_MAX_SECONDS)}`,
    ),
  },
  /** The user's own; null = the plan's. */
  limits: {
    concurrency: integer('concurrency', 10_000, "simultaneous jobs, below the plan's", SLOTS),
    rpm: integer(
      'rpm',
      1_000_000,
      "the account's requests per minute, below the plan's (run, resume: until the batch ends)",
      [...SLOTS, 'limits'],
    ),
  },
  budget: {
    maxCredits: setting(
      'credits',
      'max-credits <credits>',
      (is) => is.maxCredits,
      null,
      'the most that the batch may cost: refused at the start, and held at each submit',
      BUDGET,
    ),
    askAbove: credits('ask-above', NANO_PER_CREDIT, 'ask before spending more than this (default %s)', RUN),
    maxFailures: setting(
      'text',
      'max-failures <n|n%>',
      (is) => is.failureLimit,
      null,
      'stop when more rows than this end without their output',
      BUDGET,
    ),
    waitMinutes: setting(
      'number',
      'wait <number>',
      (is) => is.number(0, 525_600, 'minutes'),
      15,
      'minutes to wait for credits or a good key (default %s)',
      RUN,
    ),
  },
  prices: json('prices', (is) => is.prices, [], 'price rules, as JSON or the path of a JSON file', RUN),
  names: {
    /** null = `{id}`, and `{part}/{id}` above 1,000 rows. */
    template: text('name-template <template>', 'output names (default {id}; above 1,000 rows {part}/{id})', RUN),
    onExists: oneOf(
      'on-exists <what>',
      ['fail', 'skip', 'version'],
      'fail',
      'an output name that is taken: fail, skip or version',
      RUN,
    ),
    sidecar: flagOnly('sidecar', 'a JSON file beside each output: request, model, seed, handle, credits', RUN),
  },
  /** Clips go by `/v1/videos/…` (service document 1, Versioning). */
  svc: { aliasPaths: flagOnly('alias-paths', 'svc clips by the alias paths /v1/videos/…: same result, same price') },
  s3: {
    endpoint: text('endpoint <url>', "an S3 server that is not Amazon's", PLACES, (is) => is.serverUrl),
    region: text('region <name>', 'region of the bucket (default: AWS_REGION, or the profile)', PLACES),
    forcePathStyle: flagOnly('force-path-style', 'S3 addresses with the bucket in the path', PLACES),
    serverSideEncryption: oneOf(
      'server-side-encryption <how>',
      S3_ENCRYPTIONS,
      null,
      'AES256, aws:kms or aws:kms:dsse (default: as the bucket says)',
    ),
    kmsKeyId: text('kms-key-id <id>', 'the key of aws:kms'),
    storageClass: oneOf('storage-class <class>', S3_STORAGE_CLASSES, null, 'of finished files, such as STANDARD_IA'),
  },
  callbacks: {
    url: text('callback-url <url>', `${CALLBACK_PROVIDERS} posts status updates below this public https address`, RUN),
    listen: text('listen <host:port>', 'where those updates arrive on this machine', RUN),
  },
  notify: setting(
    'list',
    'notify <url|command:…>',
    (is) => is.targets,
    [],
    'tell this webhook or command what becomes of batches (repeatable)',
    RUN,
  ),
  notifySecret: text('notify-secret <text>', 'signs what webhooks are sent, by HMAC-SHA256', RUN),
  temporal: {
    address: text('temporal-address <host:port>', "a shared Temporal instead of the data folder's engine", RUN),
    namespace: text('namespace <name>', 'its namespace'),
    keys: { ...text('temporal-keys <file>', 'a file of keys: encrypts what that Temporal holds'), isPath: true },
  },
  timeScale: setting(
    'number',
    'time-scale <number>',
    (is) => is.number(1, 100_000, 'a number'),
    1,
    'rehearsals on this machine only: divides the service-side waits',
    RUN,
  ),
};

/** What each setting is in force as, by its own line alone. */
export type OwnValues = Values<typeof SETTINGS_TREE>;

/** Every setting, checked, with defaults and absolute paths. Amounts are nanocredits; null = not set. */
export interface Config extends Omit<OwnValues, 'limits' | 'notify'> {
  /** A limit that is given as a flag is the command's batch's; the account's are as files and environment say. */
  readonly limits: OwnValues['limits'] & Readonly<Record<'accountConcurrency' | 'accountRpm', number | null>>;
  readonly notify: readonly Readonly<NoticeTarget>[];
}

/** With their paths, such as `limits.rpm`. */
export const SETTINGS: readonly PlacedSetting[] = placedSettings(SETTINGS_TREE);

export const settingAt = (path: string) => SETTINGS.find((one) => one.path === path);
