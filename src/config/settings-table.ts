/** Every setting once: where it stands in the file, which flag sets it, how its text is read, what it is for. */
import { CALLBACK_PROVIDERS, RENDER_MAX_SECONDS } from '../kinds/facts.js';

/** How the text of a flag or an environment variable becomes a value. */
export type SettingForm = 'text' | 'list' | 'boolean' | 'integer' | 'number' | 'credits' | 'json';

export interface Setting {
  /** Its place in `callsheet.config.json`. */
  path: string;
  flag: string;
  form: SettingForm;
  /** What stands behind the flag in the help; absent for switches. */
  placeholder?: string;
  help: string;
  /** Relative values are taken from the folder of the file, or from the working folder. */
  isPath?: true;
}

/** The order is that of `callsheet config show`. */
export const SETTINGS: readonly Setting[] = [
  text('baseUrl', 'base-url', '<url>', 'the service, https://host (http only on this machine)'),
  text('userAgent', 'user-agent', '<text>', 'what callsheet calls itself to the service'),
  folder('out', 'out', 'where files go, also s3://bucket/prefix (default ./out)'),
  folder('data', 'data', "the engine's data folder"),
  folder('home', 'home', 'where the durable records live, also s3://bucket/prefix (default: in the data folder)'),
  text(
    'account.name',
    'account',
    '<name>',
    'whose caps, balance and ledger (default: default; loopback: rehearsal-<port>)',
  ),
  flagOnly('account.exclusive', 'exclusive', 'nothing else spends from this account'),
  text(
    'ambiguity',
    'ambiguity',
    '<policy>',
    'after a lost answer: hold, if-proved (needs --exclusive), or always (needs --always-max-waste)',
  ),
  credits('alwaysMaxWaste', 'always-max-waste', 'the most that always and sync.maxWaste may pay twice per batch'),
  credits(
    'sync.maxWaste',
    'max-waste',
    'a synchronous request below this price whose lost answer stays undecided is paid once more (default 0 = never)',
  ),
  number('waits.lambdaSeconds', 'lambda-seconds', 'how late the balance can be (default 120)'),
  number('waits.thetaSeconds', 'theta-seconds', 'how late a job can appear after we gave up (default 180)'),
  number('waits.syncMaxSeconds', 'sync-max-seconds', 'the longest image, edit or interaction call (default 900)'),
  number('waits.rhoSeconds', 'rho-seconds', 'how late a refund can be after the end (default 1800)'),
  json(
    'waits.renderMaxSeconds',
    'render-max-seconds',
    `the longest render by provider, ${JSON.stringify(RENDER_MAX_SECONDS)}`,
  ),
  integer('limits.concurrency', 'concurrency', "simultaneous jobs, below the plan's"),
  integer('limits.rpm', 'rpm', "requests per minute, below the plan's"),
  credits(
    'budget.maxCredits',
    'max-credits',
    'the most that the batch may cost: refused at the start, and held at each submit',
  ),
  credits('budget.askAbove', 'ask-above', 'ask before spending more than this (default 1)'),
  text('budget.maxFailures', 'max-failures', '<n|n%>', 'stop when more rows than this end without their output'),
  number('budget.waitMinutes', 'wait', 'minutes to wait for credits or a good key (default 15)'),
  json('prices', 'prices', 'price rules, as JSON or the path of a JSON file'),
  text('names.template', 'name-template', '<template>', 'output names (default {id}; above 1,000 rows {part}/{id})'),
  text('names.onExists', 'on-exists', '<what>', 'an output name that is taken: fail, skip or version'),
  flagOnly('names.sidecar', 'sidecar', 'a JSON file beside each output: request, model, seed, handle, credits'),
  flagOnly('svc.aliasPaths', 'alias-paths', 'svc clips by the alias paths /v1/videos/…: same result, same price'),
  text('s3.endpoint', 'endpoint', '<url>', "an S3 server that is not Amazon's"),
  text('s3.region', 'region', '<name>', 'region of the bucket (default: AWS_REGION, or the profile)'),
  flagOnly('s3.forcePathStyle', 'force-path-style', 'S3 addresses with the bucket in the path'),
  text(
    's3.serverSideEncryption',
    'server-side-encryption',
    '<how>',
    'AES256, aws:kms or aws:kms:dsse (default: as the bucket says)',
  ),
  text('s3.kmsKeyId', 'kms-key-id', '<id>', 'the key of aws:kms'),
  text('s3.storageClass', 'storage-class', '<class>', 'of finished files, such as STANDARD_IA'),
  text(
    'callbacks.url',
    'callback-url',
    '<url>',
    `${CALLBACK_PROVIDERS} posts status updates below this public https address`,
  ),
  text('callbacks.listen', 'listen', '<host:port>', 'where those updates arrive on this machine'),
  {
    path: 'notify',
    flag: 'notify',
    form: 'list',
    placeholder: '<url|command:…>',
    help: 'tell this webhook or command what becomes of batches (repeatable)',
  },
  text('notifySecret', 'notify-secret', '<text>', 'signs what webhooks are sent, by HMAC-SHA256'),
  text('temporal.address', 'temporal-address', '<host:port>', "a shared Temporal instead of the data folder's engine"),
  text('temporal.namespace', 'namespace', '<name>', 'its namespace'),
  number('timeScale', 'time-scale', 'rehearsals on this machine only: divides the service-side waits'),
];

const byPath = new Map(SETTINGS.map((setting) => [setting.path, setting]));

export function settingAt(path: string): Setting | undefined {
  return byPath.get(path);
}

/** `limits.rpm` → `CALLSHEET_LIMITS_RPM`. */
export function environmentName(path: string): string {
  const words = path.replaceAll('.', '_').replace(/([a-z0-9])([A-Z])/g, '$1_$2');
  return `CALLSHEET_${words.toUpperCase()}`;
}

function text(path: string, flag: string, placeholder: string, help: string): Setting {
  return { path, flag, form: 'text', placeholder, help };
}

function folder(path: string, flag: string, help: string): Setting {
  return { path, flag, form: 'text', placeholder: '<folder>', help, isPath: true };
}

function flagOnly(path: string, flag: string, help: string): Setting {
  return { path, flag, form: 'boolean', help };
}

function credits(path: string, flag: string, help: string): Setting {
  return { path, flag, form: 'credits', placeholder: '<credits>', help };
}

function number(path: string, flag: string, help: string): Setting {
  return { path, flag, form: 'number', placeholder: '<number>', help };
}

function integer(path: string, flag: string, help: string): Setting {
  return { path, flag, form: 'integer', placeholder: '<n>', help };
}

function json(path: string, flag: string, help: string): Setting {
  return { path, flag, form: 'json', placeholder: '<json>', help };
}
