/** What the mutation check takes away, one branch at a time; each must turn the named test red. */

/** One exact piece of a source file, which occurs there once, and what stands in its place. */
export interface Edit {
  file: string;
  take: string;
  give: string;
}

export interface Mutation {
  /** T, S and F numbers of design 3 and 5 that the branch handles, or a row of docs/conformance.md. */
  ids: string[];
  edits: Edit[];
  /** The test file that must go red. */
  test: string;
  /** A regular expression on the names of the tests to run; default: every test that names one of the ids. */
  named?: string;
  /** The test's title, where one alone must notice. */
  title?: string;
}

const CLASSIFY = 'src/service/classify.ts';
const CLASSIFY_TEST = 'test/service/classify.test.ts';
const SETTLE_TEST = 'test/books/settle.test.ts';
const LEARN_TEST = 'test/books/learn.test.ts';
const TRANSPORT_TEST = 'test/service/transport.test.ts';
const CONFORMANCE_TEST = 'test/vendors/conformance.test.ts';
const PERMITS_TEST = 'test/workflows/permits.test.ts';
const DOWNLOAD_TEST = 'test/download/download.test.ts';
const LEDGER_TEST = 'test/home/ledger.test.ts';
const FOLDER_TEST = 'test/store/folder-faults.test.ts';
const MONEY_TEST = 'test/e2e/money-faults.test.ts';
const LOST_TEST = 'test/e2e/lost-answers.test.ts';
const POLLS_TEST = 'test/e2e/polls-and-downloads.test.ts';

function one(ids: string, file: string, take: string, give: string, test: string, named?: string): Mutation {
  return { ids: ids.split(' '), edits: [{ file, take, give }], test, ...(named === undefined ? {} : { named }) };
}

export const MUTATIONS: readonly Mutation[] = [
  // Design 3: what one submit showed.
  one(
    'T1',
    CLASSIFY,
    "        rule: 'T1',\n        next: NEVER_SENT.has(exchange.code) ? 'fail_row' : 'retry_backoff',",
    "        rule: 'T1',\n        next: 'fail_row',",
    CLASSIFY_TEST,
  ),
  one(
    'T2',
    'src/home/ledger.ts',
    '  const voided = await store.putIfAbsent(keys.attempt(ref, 0), encodeJson(state));',
    '  const voided = (await store.size(keys.attempt(ref, 0))) === undefined;',
    LEDGER_TEST,
  ),
  one(
    'T3',
    CLASSIFY,
    '  if (error && seen.errorForms.has(error.form) && refusals.has(status)) {',
    '  if (status === 0 && error) {',
    CLASSIFY_TEST,
  ),
  one(
    'T4',
    CLASSIFY,
    "  return error?.code === 'concurrent_limit_exceeded' ? 'wait_slot' : 'wait_gateway';",
    "  return 'wait_gateway';",
    CLASSIFY_TEST,
  ),
  one(
    'T4 F23',
    CLASSIFY,
    "  if (status === 429) return refused(seen, 'T4', afterTooMany(error), status);\n",
    '',
    CLASSIFY_TEST,
    '\\bT4\\b',
  ),
  one(
    'T5 F11',
    CLASSIFY,
    "  if (vendorRefusal === 'unreachable') return refused(seen, 'T5', 'wait_provider', status);\n",
    '',
    CLASSIFY_TEST,
  ),
  one(
    'T6 F12',
    CLASSIFY,
    "  if (vendorRefusal === 'disabled') return refused(seen, 'T6', 'fail_route', status);\n",
    '',
    CLASSIFY_TEST,
  ),
  one(
    'T7',
    CLASSIFY,
    "      return { state: 'refused', rule: 'T7', next: 'fail_row', status, code: reading.code, message: reading.message };\n",
    '',
    CLASSIFY_TEST,
  ),
  one(
    'T8',
    CLASSIFY,
    "      return { state: 'created', handle: reading.handle, ...(warning ? { warning } : {}) };",
    "      return { state: 'created_lost', evidence: { rule: 'T9', message: warning ?? '' } };",
    CLASSIFY_TEST,
  ),
  one(
    'T9 TH F13 F14',
    CLASSIFY,
    "    return { state: 'created_lost', evidence, salvagedHandle };",
    "    return { state: 'created_lost', evidence };",
    CLASSIFY_TEST,
  ),
  one(
    'TS',
    CLASSIFY,
    '  if (salvagedOutput === undefined) return undefined;\n',
    '  if (status !== undefined || salvagedOutput === undefined) return undefined;\n',
    CLASSIFY_TEST,
  ),
  one(
    'T10 F16 F17',
    CLASSIFY,
    '  const code = error?.code === undefined ? {} : { code: error.code };\n',
    "  if (!error) return refused(seen, 'T3', 'fail_row', status);\n  const code = error?.code === undefined ? {} : { code: error.code };\n",
    CLASSIFY_TEST,
  ),
  one(
    'T11',
    CLASSIFY,
    "  return seen.flow === 'async' && accepted ? { state: 'created_lost', evidence } : { state: 'unknown', evidence };",
    "  return { ...evidence, state: 'refused', next: 'retry_backoff', message: '' };",
    CLASSIFY_TEST,
  ),
  one(
    'T12',
    'src/home/ledger.ts',
    '  const voided = await store.putIfAbsent(keys.attempt(ref, 0), encodeJson(state));',
    '  await store.put(keys.attempt(ref, 0), encodeJson(state));\n  const voided = true;',
    LEDGER_TEST,
  ),
  one(
    'S0',
    CLASSIFY,
    "      return { state: 'done', outputs: reading.outputs, facts: reading.facts };",
    "      return { state: 'done', outputs: [], facts: {} };",
    CLASSIFY_TEST,
  ),
  one(
    'S1',
    CLASSIFY,
    "  if (flow === 'sync' && error?.form === 'detail' && SYNC_RETRIES.has(status)) {",
    "  if (status === 0 && error?.form === 'detail') {",
    CLASSIFY_TEST,
  ),
  one(
    'S2',
    CLASSIFY,
    "  if (flow === 'sync' && error?.form === 'detail' && SYNC_RETRIES.has(status)) {",
    "  if (flow === 'sync' && error && SYNC_RETRIES.has(status)) {",
    CLASSIFY_TEST,
  ),
  one(
    'S2',
    CLASSIFY,
    "      return { state: flow === 'sync' ? 'unknown' : 'created_lost', evidence };",
    "      return { state: 'created_lost', evidence };",
    CLASSIFY_TEST,
  ),
  one(
    'S2',
    'src/books/attempts.ts',
    "  const dueAfterMs = timing === 'at-submit' ? bornMs : bornMs + lastMs;\n",
    '  const dueAfterMs = 0;\n',
    'test/books/verdict-audit.test.ts',
  ),
  // Design 5: on the way to the service and back.
  one(
    'F1 F2',
    'src/service/exchange-handler.ts',
    '  if (error instanceof ConnectError) return error.phase;\n',
    '',
    TRANSPORT_TEST,
  ),
  one('F2', 'src/service/connector.ts', "    if (secure) phase = 'tls';\n", '', TRANSPORT_TEST),
  one('F3 F4', 'src/service/exchange-handler.ts', '  course.sent = true;\n', '', TRANSPORT_TEST),
  one(
    'F5',
    'src/service/exchange-handler.ts',
    "  course.countdown.set('headers', course.limits.headersTimeoutMs);\n",
    '',
    TRANSPORT_TEST,
  ),
  one('F6', 'src/kinds/facts.ts', 'const HANDLE_MAX_MS = 300_000;', 'const HANDLE_MAX_MS = 2_000;', LOST_TEST),
  one(
    'F7',
    'src/books/check/two-looks.ts',
    '  for (const look of looks.filter(({ at }) => isPast(at))) {',
    '  for (const look of looks) {',
    MONEY_TEST,
  ),
  one(
    'F8 F32',
    'src/books/verdicts.ts',
    "  if (!evidence.exclusive || settled.outcome !== 'verdict' || settled.verdict !== 'billed') return;",
    "  if (!evidence.exclusive || settled.outcome !== 'verdict' || settled.verdict === 'billed') return;",
    MONEY_TEST,
    '\\bF8\\b',
  ),
  one(
    'F8',
    'activities/settle.ts',
    '  return (await isTrusted(deps.home)) ? {} : { untrusted: true };',
    '  return (await isTrusted(deps.home)) ? {} : {};',
    MONEY_TEST,
  ),
  one('F32', 'src/books/readings.ts', '    await auditVerdicts(books);\n', '', MONEY_TEST),
  one(
    'F9 F10',
    CLASSIFY,
    "  if (flow === 'sync' && error?.form === 'detail' && SYNC_RETRIES.has(status)) {",
    "  if (error?.form === 'detail' && SYNC_RETRIES.has(status)) {",
    CLASSIFY_TEST,
  ),
  one(
    'F11',
    'workflows/curbs.ts',
    "  const route = cause === 'network' || cause === 'rpm' ? null : routeOf(kind);\n",
    '  const route = null;\n',
    'test/workflows/paces.test.ts',
  ),
  one(
    'F13',
    'activities/row/submit-outcome.ts',
    'return handle === undefined ? {} : { salvagedHandle: handle };',
    'return {};',
    LOST_TEST,
  ),
  one('F15', CLASSIFY, '  return status >= 200 && status < 300;', '  return status === 200;', CLASSIFY_TEST),
  one(
    'F17',
    'src/service/connector.ts',
    "          ALPNProtocols: ['http/1.1'],",
    "          ALPNProtocols: ['h2', 'http/1.1'],",
    TRANSPORT_TEST,
  ),
  one(
    'F18',
    CLASSIFY,
    'const REFUSALS = new Set([400, 401, 402, 403, 404, 405, 413, 415, 422]);',
    'const REFUSALS = new Set([400, 401, 402, 403, 404, 405, 408, 409, 413, 415, 422, 425]);',
    CLASSIFY_TEST,
  ),
  one(
    'F19 F30',
    'src/books/check/residual.ts',
    '  if (residual.hi > 0) return { topUpNano: 0, unattributed: residual };',
    '  if (residual.hi > 0) return { topUpNano: 0, unattributed: ZERO };',
    LEARN_TEST,
  ),
  one(
    'F19',
    'src/books/strangers.ts',
    "  log.warn({ batch, ...unattributed }, 'the balance moved by more than is known here');\n",
    '',
    MONEY_TEST,
  ),
  // The account.
  one(
    'F20 F21',
    'workflows/turns.ts',
    'if (state.waiting.length === 0 || state.pauses.some((p) => p.batch === undefined)) return undefined;',
    'if (state.waiting.length === 0) return undefined;',
    PERMITS_TEST,
  ),
  one(
    'F21',
    'src/service/transport.ts',
    '      secret = key();',
    '      const first = times as { key?: string };\n      first.key ??= key();\n      secret = first.key;',
    TRANSPORT_TEST,
  ),
  one(
    'F22',
    'activities/row/closed-models.ts',
    '  return (row) => {\n',
    '  return (row) => {\n    if (closed.size > 0) return undefined;\n',
    'test/e2e/account-states.test.ts',
  ),
  one(
    'F23',
    'src/service/errors.ts',
    '  if (askedMs < leastMs || askedMs > LONGEST_MS) return { waitMs: ABSURD_MS, isAbsurd: true };\n',
    '',
    'test/service/retry-after.test.ts',
  ),
  one('F24', 'workflows/permits.ts', '  if (message.overCap) lowerCap(state, nowMs);\n', '', PERMITS_TEST),
  one(
    'F25',
    'workflows/cap.ts',
    '  if (takesSlot(kind)) return used < effectiveCap(state, nowMs);\n',
    '',
    PERMITS_TEST,
  ),
  // Money.
  one(
    'F27',
    'src/books/learned.ts',
    'atLeast(settings.waits.lambdaMs, facts.latenessMs);',
    'atLeast(settings.waits.lambdaMs, 0);',
    MONEY_TEST,
    'F27: Λ',
  ),
  one(
    'F27',
    'src/books/check/two-looks.ts',
    '    else if (look.at.askedMs - first.at.askedMs >= evidence.apartMs) {',
    '    else {',
    SETTLE_TEST,
  ),
  one(
    'F27',
    'src/books/check/learn.ts',
    '  return mostMs - provenMs > book.lambdaMs ? provenMs : Math.max(provenMs, mostMs);',
    '  return mostMs;',
    LEARN_TEST,
  ),
  one(
    'F28',
    'src/service/account.ts',
    '  credits_remaining: z.number().transform(',
    '  credits_remaining: z.coerce.number().transform(',
    MONEY_TEST,
  ),
  one(
    'F28',
    'src/domain/money.ts',
    'export const BALANCE_TOLERANCE_NANO: CreditsNano = 1_000;',
    'export const BALANCE_TOLERANCE_NANO: CreditsNano = 0;',
    SETTLE_TEST,
  ),
  one(
    'F29',
    'src/books/check/residual.ts',
    '  return first <= Math.floor((hi + slackNano) / NANO_PER_CREDIT);',
    '  return first > hi + slackNano;',
    SETTLE_TEST,
  ),
  one('F29', 'src/books/check/learn.ts', 'Math.abs(at.nano) <= slack', 'at.nano <= slack', LEARN_TEST),
  one(
    'F29',
    'src/books/check/residual.ts',
    '  if (mayAppear) return hasWhole(bought, PURCHASE_MIN, slackNano);\n',
    '  if (mayAppear) return true;\n',
    SETTLE_TEST,
  ),
  one(
    'F30',
    'src/books/check/explain.ts',
    '    const isExplained = states.includes(1);',
    '    const isExplained = true;',
    SETTLE_TEST,
  ),
  one(
    'F31',
    'src/books/attempt-price.ts',
    '  return expected === null ? now : widest(expected, now ?? expected);',
    '  return expected ?? now;',
    MONEY_TEST,
  ),
  one('F31', 'src/books/attempts.ts', 'timing, ...price };', 'timing };', 'test/books/discounts.test.ts'),
  one('F33', 'src/books/credits.ts', '  if (isKnownUnbilled(standing)) return { lo: 0, hi: 0 };\n', '', POLLS_TEST),
  one(
    'F34',
    'src/books/check/learn.ts',
    "    if (end === 'follow_up') learnFollowUp(book, subject, attempts, lessons);\n",
    '',
    LEARN_TEST,
  ),
  one(
    'F34',
    'src/books/readings.ts',
    '    if (attempt) await keepFollowUp(books, attempt, totalNano);\n',
    '    if (attempt && totalNano < 0) await keepFollowUp(books, attempt, totalNano);\n',
    MONEY_TEST,
  ),
  // Polls.
  one(
    'F35',
    'src/domain/poll-schedule.ts',
    '  if (count >= REFUSALS_MAX && leftMs <= 0) return null;',
    '  if (count >= 1) return null;',
    POLLS_TEST,
    'F35 a handle not found once',
  ),
  one(
    'F36',
    'activities/row/poll-pace.ts',
    '  if (isPassing && !isClosed) throw failed(poll, code);',
    "  if (isPassing && !isClosed) return review(poll, 'poll_unreadable');",
    POLLS_TEST,
  ),
  one(
    'F37',
    'src/kinds/readings.ts',
    "      return { reading: 'running', word: safeText(word, 60), known: false };",
    '      return ended.failed(word);',
    CONFORMANCE_TEST,
  ),
  one(
    'F37',
    'src/kinds/readings.ts',
    "  if (outputs.length === 0) return endedUnreadably('the service says that the job succeeded, but gives no output URL');\n",
    '',
    CONFORMANCE_TEST,
  ),
  one(
    'F38',
    'activities/poll.ts',
    "      if (deps.now() > poll.createdAtMs + lifeMs) return review(poll, 'handle_expired');\n",
    '',
    POLLS_TEST,
  ),
  one(
    'F39',
    'src/kinds/readings.ts',
    '      return ended.failed(word);',
    "      return { reading: 'running', word, known: true };",
    CONFORMANCE_TEST,
  ),
  // Downloads.
  one(
    'F40',
    'src/domain/output-tries.ts',
    "  if (leftMs <= 0 && hasTried) return { next: 'pending' };\n",
    '',
    'test/domain/output-tries.test.ts',
  ),
  one(
    'F41',
    'src/service/range-answer.ts',
    '  if (range === null || Number(range[1]) !== file.received || isPacked(answer)) return false;',
    '  if (range === null) return true;',
    DOWNLOAD_TEST,
  ),
  one(
    'F42',
    'src/service/download.ts',
    '  if (total !== undefined && received !== total) {',
    '  if (total !== undefined && received > total) {',
    DOWNLOAD_TEST,
  ),
  one(
    'F42',
    'src/store/media-whole.ts',
    '      return await endOfMp4(reader);',
    '      return { isWhole: true };',
    'test/store/media-facts.test.ts',
  ),
  one('F43', 'src/service/download-encoding.ts', 'const RATIO_MAX = 20;', 'const RATIO_MAX = 1e9;', DOWNLOAD_TEST),
  one(
    'F43',
    'src/service/download.ts',
    '    if (fetch.received + fresh.length > maxBytes) throw tooLarge(host, maxBytes);\n',
    '',
    DOWNLOAD_TEST,
  ),
  one(
    'F43',
    'src/service/download-body.ts',
    '        if (bytesPerSecond < minBytesPerSecond) {',
    '        if (bytesPerSecond < 0) {',
    DOWNLOAD_TEST,
  ),
  one(
    'F44',
    'src/service/public-address.ts',
    "      if (permits(socket.remoteAddress ?? '')) return callback(...result);",
    '      return callback(...result);',
    'test/download/connected-address.test.ts',
  ),
  one(
    'F44',
    'src/service/public-address.ts',
    '    if (isIP(host) !== 0 && !permits(host)) return callback(new ForbiddenAddressError(host), null);\n',
    '',
    'test/download/forbidden-addresses.test.ts',
  ),
  // Disks and buckets.
  one(
    'F45',
    'src/store/disk-budget.ts',
    '      if (free !== undefined && free < others + bytes + KEEP_FREE_BYTES) {',
    '      if (free === 0) {',
    'test/store/disk-budget.test.ts',
  ),
  one(
    'F46',
    'src/store/s3-stream.ts',
    '      if (there !== undefined) return ownFile(there, file, true);\n',
    '',
    'test/store/s3-faults.test.ts',
  ),
  one(
    'F47',
    'src/home/attempts.ts',
    '    if (state === undefined) tear(attempt);\n    else attempt.states.push(state);\n    attempt.nextSeq',
    '    if (state === undefined) continue;\n    attempt.states.push(state);\n    attempt.nextSeq',
    LEDGER_TEST,
  ),
  one(
    'F47',
    'src/store/folder-files.ts',
    '    await handle.writeFile(bytes);\n    await handle.sync();\n',
    '    await handle.writeFile(bytes);\n',
    'test/home/power-cut.test.ts',
  ),
  one(
    'F56',
    'src/store/folder-files.ts',
    '    await handle.writeFile(bytes);\n    await handle.sync();\n',
    '    await handle.writeFile(bytes);\n    await handle.sync().catch(() => undefined);\n',
    FOLDER_TEST,
  ),
  // Rivals, operators, clocks, callbacks, versions.
  one(
    'F48',
    'src/store/folder-files.ts',
    "    if (code === 'EEXIST') return (await lstat(temporary)).nlink === 2;",
    "    if (code === 'EEXIST') return (await lstat(temporary)).nlink >= 1;",
    'test/home/ledger-processes.test.ts',
    'F48: in a folder',
  ),
  {
    ids: ['F49'],
    edits: [
      {
        file: 'src/home/row-standing.ts',
        take: '  const last = paid ?? jobLeft(attempts) ?? attempts.at(-1);',
        give: '  const last = attempts.find(({ n }) => n === 0);',
      },
      {
        file: 'src/store/folder-files.ts',
        take: "    if (code === 'EEXIST') return (await lstat(temporary)).nlink === 2;",
        give: "    if (code === 'EEXIST') return (await lstat(temporary)).nlink >= 1;",
      },
    ],
    test: 'test/e2e/operators.test.ts',
  },
  one(
    'F50',
    'src/store/folder-files.ts',
    "    if (code === 'EEXIST') return (await lstat(temporary)).nlink === 2;",
    "    if (code === 'EEXIST') return (await lstat(temporary)).nlink >= 1;",
    'test/e2e/operators.test.ts',
    "F50: 'its workflow is reset to its beginning' 'while its submit",
  ),
  one(
    'F50',
    'activities/row/claims.ts',
    '  if (count > 0) calls.underWay.set(name, count);',
    '  if (by > 0) calls.underWay.set(name, count);',
    'test/e2e/operators.test.ts',
    "F50: 'its workflow is reset to its beginning' 'while its submit",
  ),
  one(
    'F51',
    'src/home/attempts.ts',
    "  verdict: { follows: ['verdict', ...ANSWERS, ...PERSON], addsNothing: ['unknown', 'created_lost'] },",
    "  verdict: { follows: ['verdict', ...PERSON], addsNothing: ['unknown', 'created_lost', ...ANSWERS] },",
    LEDGER_TEST,
  ),
  one(
    'F52',
    'src/books/check/counted-time.ts',
    'countedMs: gapMs > JUMP * gapMaxMs ? STEP_MS : gapMaxMs',
    'countedMs: gapMs',
    'test/books/counted-time.test.ts',
  ),
  one(
    'F52',
    'src/books/check/counted-time.ts',
    'atMs < toMs ? countedMs - STEP_MS : countedMs',
    'countedMs',
    'test/books/counted-time.test.ts',
  ),
  one(
    'F52',
    'src/worker/clock.ts',
    '      lastMs = Math.max(wall(), lastMs + monotonicMs - lastMonotonicMs);',
    '      lastMs = wall();',
    'test/worker/clock.test.ts',
  ),
  one(
    'F53',
    'src/callbacks/receiver.ts',
    '      if (bytes > BODY_MAX) end(413);\n      else parts.push(part);',
    '      parts.push(part);',
    'test/callbacks/receiver.test.ts',
  ),
  one(
    'F54',
    'workflows/permits.ts',
    '  const own = holderOf(state, ask.job);',
    '  const own = holderOf(state, { ...ask.job, id: "" });',
    'test/workflows/permits-random.test.ts',
  ),
  one('F55', 'workflows/settle-case.ts', '  await note({});\n', '', 'test/replay/replay.test.ts'),
];
