// biome-ignore-all lint/suspicious/noTemplateCurlyInString: pieces of source text.
import { type RuleMutation, within } from './within.js';

/** What the service, the account, errors, prices and times owe: one branch at a time. */
export const SERVICE_MUTATIONS: readonly RuleMutation[] = [
  ...within('src/service/transport.ts', [
    [1, 'Buffer.from(JSON.stringify(request.body))', 'Buffer.from(String(request.body))'],
    [36, "'Content-Type': 'application/json'", "'Content-Type': 'text/plain'"],
    [71, 'Authorization: `Bearer ${key}`,', "'X-API-Key': key,"],
    [106, "    'User-Agent': userAgent,\n", ''],
    [
      [27, 73],
      '      secret = key();',
      '      const first = times as { key?: string };\n      first.key ??= key();\n      secret = first.key;',
      { 27: 2 },
    ],
  ]),
  ...within('src/service/account.ts', [
    [12, 'planLevel: safeText(read.plan_level, 60),', "planLevel: '',"],
    [13, 'effective_to: instant.nullable().optional(),', 'effective_to: instant,'],
    [
      14,
      'row.effectiveFromMs <= atMs &&\n      (row.effectiveToMs === null || atMs < row.effectiveToMs),',
      'row.effectiveFromMs <= atMs &&\n      (row.effectiveToMs === null || atMs <= row.effectiveToMs),',
    ],
    [
      26,
      '      row.effectiveFromMs <= atMs &&\n      (row.effectiveToMs === null || atMs < row.effectiveToMs),',
      '      (row.effectiveToMs === null || atMs < row.effectiveToMs),',
    ],
    [28, "path: '/v1/credits'", "path: '/v1/credit'"],
    [29, "path: '/v1/discounts'", "path: '/v1/discount'"],
    [92, 'concurrentLimit: Math.floor(read.concurrent_limit),', 'concurrentLimit: 5,'],
    [111, 'defined({ language, gender })', 'defined({ gender })'],
  ]),
  ...within('src/service/errors.ts', [
    [75, 'const shown = showDetails(rest);', "const shown = '';", 1],
    [77, 'if (isErrorObject(body.error))', 'if (body.error === 0)'],
    [78, '  if (isText(body.detail)) {', '  if (body.detail === 0) {'],
    [79, "  if (isText(body.detail)) return 'detail';\n", ''],
    [81, 'details?.credits_required, ', ''],
    [82, ', error.creditsBalance]', ']'],
    [84, 'if (isErrorObject(body.detail))', 'if (body.detail === 0)'],
    [
      85,
      'isJsonObject(error.details) ? error.details : isJsonObject(body.details) ? body.details : undefined',
      'undefined',
    ],
    [188, "const form = isText(body.code) ? 'coded' : isProvider", 'const form = isProvider'],
    [189, 'if (isText(error.doc_url)) notes', 'if (error.doc_url === 0) notes'],
  ]),
  ...within('src/service/errors.ts', [
    [97, 'Math.max(Math.ceil(askedMs), SHORTEST_MS)', 'SHORTEST_MS'],
    [86, 'if (askedMs < leastMs || askedMs > LONGEST_MS)', 'if (askedMs < leastMs)', 3],
  ]),
  ...within('src/service/probe-url.ts', [[59, 'followsRedirects ? how : { ...how, redirectsMax: 0 }', 'how']]),
  ...within('src/domain/secret.ts', [[72, 'const KEY_FORM = /^sk-svc-[', 'const KEY_FORM = /^[']]),
  ...within('src/service/classify.ts', [
    [5, 'new Set([400, 401', 'new Set([401'],
    [67, "return seen.askedForBytes ? 'retry_as_url' : 'fail_size';", "return 'fail_size';"],
    [74, "  if (status === 401) return 'pause_key';\n", ''],
    [75, "? 'fail_model' : 'fail_row';", "? 'fail_row' : 'fail_row';"],
    [80, '413, 415, 422]);', '413, 415]);'],
    [80, '413, 415, 422]);', '413]);', 1],
    [87, "? 'wait_slot' : 'wait_gateway';", "? 'wait_gateway' : 'wait_gateway';"],
    [88, "error?.form === 'detail' && SYNC_RETRIES", 'error && SYNC_RETRIES'],
    [89, "return seen.askedForBytes ? 'retry_as_url' : 'fail_size';", "return 'retry_as_url';"],
    [90, 'new Set([500, 502, 503, 504]);', 'new Set([500, 502, 503]);'],
    [91, "? 'fail_model' : 'fail_row';", "? 'fail_model' : 'retry_sync';"],
    [99, "return { state: 'created', handle: reading.handle,", "return { state: 'created', handle: '',"],
    [103, "return { state: 'created_lost', evidence, salvagedHandle };", "return { state: 'created_lost', evidence };"],
    [
      103,
      "? { state: 'created_lost', evidence } : { state: 'unknown', evidence };",
      "? { state: 'created_lost', evidence } : { ...evidence, state: 'refused', next: 'retry_backoff', message: '' };",
      1,
    ],
  ]),
  ...within('src/books/prices/price-book.ts', [
    [10, 'Math.round((listNano / LIST_PRICE_PPB) * discountPpb)', 'Math.round(listNano)', 2],
    [205, 'lo: Math.max(0, least - above),', 'lo: least,'],
  ]),
  ...within('src/kinds/svc/facts.ts', [
    [7, 'exactly(pixels / 1e6)', 'exactly(pixels / 1e5)'],
    [[11, 207], 'outputLifeMs: 7 * DAY_MS,', 'outputLifeMs: DAY_MS,', { 207: 1 }],
  ]),
  ...within('src/kinds/vendor-f/facts.ts', [
    [8, 'second: knownOr(seconds, UNKNOWN)', 'second: UNKNOWN'],
    [221, 'answerMaxMs: HOUR_MS / 6', 'answerMaxMs: HOUR_MS / 12'],
  ]),
  ...within('src/books/prices/price-book.ts', [[8, 'facts.billedTokens / 1e6', 'facts.billedTokens / 1e5', 1]]),
  ...within('src/kinds/fact.ts', [[24, 'const CLIP_SECONDS_APART = 1;', 'const CLIP_SECONDS_APART = 0;']]),
  ...within('src/kinds/vendor-d/facts.ts', [[210, "'million-tokens': UNKNOWN", "'million-tokens': { lo: 0, hi: 0 }"]]),
  ...within('src/kinds/vendor-e/facts.ts', [
    [216, 'const REFERENCE_SECONDS_MAX = 15;', 'const REFERENCE_SECONDS_MAX = 30;'],
  ]),
  ...within('src/kinds/svc/facts.ts', [
    [23, "cells.height === 720 ? '720p' : '1080p'", "'1080p'"],
    [68, 'answerMaxMs: 150_000,', 'answerMaxMs: 120_000,'],
  ]),
  ...within('src/kinds/vendor-a/facts.ts', [[217, "mode === '4k' ? 'on' : ", '']]),
  ...within('src/books/check/settle.ts', [
    [
      [6, 209],
      'if (gone && (bill === undefined || bill.at.atMs < gone.first.at.atMs)) {',
      'if (gone && bill === undefined) {',
    ],
  ]),
  ...within('src/books/check/two-looks.ts', [[211, 'looks.filter(({ at }) => isPast(at))', 'looks']]),
  ...within('src/books/check/residual.ts', [
    [95, '  if (mayAppear) return hasWhole(bought, PURCHASE_MIN, slackNano);\n', '  if (mayAppear) return false;\n'],
  ]),
  ...within('src/cli/plan/plan-prices.ts', [
    [10, '?.multiplierPpb ?? LIST_PRICE_PPB;', '&& LIST_PRICE_PPB;'],
    [10, ' (not included)', '', 1],
    [16, '?.multiplierPpb ?? LIST_PRICE_PPB;', '?.multiplierPpb ?? 2 * LIST_PRICE_PPB;'],
  ]),
  ...within('src/kinds/facts.ts', [
    [212, "(facts.flow === 'sync' ? syncMaxMs :", "(facts.flow === 'sync' ? 150_000 :"],
  ]),
  ...within('src/kinds/expected.ts', [
    [208, 'renderMaxMs[providerOf(kind)] ?? renderMaxMs.default', 'renderMaxMs.default'],
    [215, 'const MS_PER_SPOKEN_SECOND = 20_000;', 'const MS_PER_SPOKEN_SECOND = 10_000;'],
  ]),
  ...within('src/domain/poll-schedule.ts', [
    [100, 'return Math.min(2 * baseMs, GAP_MAX_MS);', 'return baseMs;', 1],
    [196, 'baseMs * 2 ** Math.min(10, failures)', 'baseMs', 1],
  ]),
  ...within('src/domain/poll-schedule.ts', [
    [191, '  if (count >= REFUSALS_MAX && leftMs <= 0) return null;', '  if (count >= 1) return null;'],
  ]),
  ...within('activities/row/poll-pace.ts', [
    [190, 'status === 404 || status === 409 ||', 'status === 404 ||'],
    [
      196,
      '  if (isPassing && !isClosed) throw failed(poll, code);',
      "  if (isPassing && !isClosed) return review(poll, 'poll_unreadable');",
    ],
  ]),
  ...within('src/books/discounts.ts', [
    [96, 'const DISCOUNTS_MAX_AGE_MS = 300_000;', 'const DISCOUNTS_MAX_AGE_MS = 1;'],
  ]),
  ...within('src/kinds/expected.ts', [[219, 'const READ_MARGIN_S = 3_600;', 'const READ_MARGIN_S = 0;']]),
  ...within('src/books/credits.ts', [[105, '  if (isKnownUnbilled(standing)) return { lo: 0, hi: 0 };\n', '']]),
  ...within('activities/files/fresh-url.ts', [
    [119, '    await deps.ledger.append(ref, endStateOf(reading, deps.now()));\n', '', 1],
  ]),
  ...within('workflows/account-pauses.ts', [
    [83, 'if (hasChanged && moreNano > 0 && balanceNano >= needNano)', 'if (balanceNano >= needNano)'],
  ]),
  ...within('workflows/curbs.ts', [
    [86, 'return FIRST_MS * 2 ** (refusals - 1);', 'return FIRST_MS;'],
    [86, 'Math.max(retryAfterMs, gapMs(pace) / state.timeScale)', 'gapMs(pace) / state.timeScale', 1],
  ]),
  ...within('workflows/permits.ts', [
    [
      93,
      'export function release(state: SemaphoreState, message: Release, nowMs: number): void {\n  const holder = state.holders.find((h) => h.grant === message.grant);',
      'export function release(state: SemaphoreState, message: Release, nowMs: number): void {\n  const holder = state.holders[0];',
    ],
  ]),
  ...within('workflows/cap.ts', [[[94, 104], 'return used < effectiveCap(state, nowMs);', 'return true;']]),
  ...within('workflows/job.ts', [
    [[4, 101], 'status: await downloadRow(parts, state)', "status: 'failed'"],
    [132, 'return CancellationScope.nonCancellable(() => goOn(step));', 'return goOn(step);'],
  ]),
  ...within('src/worker/api.ts', [[35, 'Math.max(1, rpm - reserve) / RPM_WINDOW_S', '(60 * rpm) / RPM_WINDOW_S']]),
];
