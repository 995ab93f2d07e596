import type { Flag } from '../../domain/outcome.js';

export type Billed = 'no' | 'yes' | 'unknown';

/** The rules by which an answer to a submit is read, as `review show` names them. */
interface AnswerRule {
  meaning: string;
  retried: string;
  billed: Billed;
}

const AGAIN = 'the row is submitted again';
const NEVER_BLINDLY = 'not before the credits check, or a person, has said that it was not billed';

export const ANSWER_RULES: Readonly<Record<string, AnswerRule>> = {
  T1: { meaning: 'Nothing was sent: the service could not be reached.', retried: AGAIN, billed: 'no' },
  T2: { meaning: 'The submit never began; its place in the ledger is void.', retried: AGAIN, billed: 'no' },
  T3: {
    meaning: "The service refused the request in its documents' own words.",
    retried: '`explain` of the code in the answer says it',
    billed: 'no',
  },
  T4: { meaning: 'Too many requests, or too many jobs at once.', retried: 'after a pause', billed: 'no' },
  T5: { meaning: 'The provider behind vendor-f was away.', retried: 'after a pause', billed: 'no' },
  T6: { meaning: 'The vendor-f pass-through is not enabled.', retried: 'by a person only', billed: 'no' },
  T7: { meaning: 'vendor-a answered 200 with an error code and no task.', retried: 'by a person only', billed: 'no' },
  T8: { meaning: 'The service took the job and named it.', retried: 'never: the job is polled', billed: 'yes' },
  T9: {
    meaning: 'A 2xx that names no job: cut, or not in the documented form.',
    retried: NEVER_BLINDLY,
    billed: 'unknown',
  },
  TH: {
    meaning: 'An answer of another form in which a whole job id stood.',
    retried: 'never while that job may exist: it is polled',
    billed: 'unknown',
  },
  T10: {
    meaning:
      'A status that proves nothing, or a body that is not in the documented words: a gateway may have answered.',
    retried: NEVER_BLINDLY,
    billed: 'unknown',
  },
  T11: {
    meaning: 'The connection failed after the request had begun to leave: reset, closed, timed out or unreadable.',
    retried: NEVER_BLINDLY,
    billed: 'unknown',
  },
  T12: {
    meaning: 'The process that held the request died, or could not record its answer.',
    retried: NEVER_BLINDLY,
    billed: 'unknown',
  },
  TS: {
    meaning: 'An answer of another form in which the whole output, or its URL, stood.',
    retried: 'never while that output may be fetched',
    billed: 'unknown',
  },
  S0: { meaning: 'The synchronous call gave its output.', retried: 'never', billed: 'yes' },
  S1: {
    meaning: "A synchronous call failed in the documents' own words, which promise a refund.",
    retried: 'at most three times',
    billed: 'no',
  },
  S2: { meaning: 'A synchronous call whose end nothing tells.', retried: NEVER_BLINDLY, billed: 'unknown' },
};

/**
 * The problem codes that are not about one cell of a manifest: settings, the key, places, the plan. Together with the
 * manifest's own they are all codes that callsheet prints.
 */
export const SETTING_CODES = {
  B34: 'Callbacks were asked for a kind whose route has none.',
  B47: 'Something else stands where the output of a row belongs.',
  B48: 'A row was submitted with other values before.',
  B49: 'The API key is missing or has the wrong form.',
  B50: 'The base URL is missing or cannot be used.',
  B51: 'The wished concurrency is above the plan.',
  B52: 'An amount of credits is wrong, or the plan costs more than the budget.',
  B53: 'The policy if-proved needs an account that nobody else uses.',
  B54: 'The output place cannot be written, or has too little room.',
  B56: 'A setting is unknown, of the wrong type, or contradicts another.',
} as const;

export type SettingCode = keyof typeof SETTING_CODES;

/** What to do about it. */
export const SETTING_ADVICE: Readonly<Record<SettingCode, string>> = {
  B34: 'Nothing: the job is polled instead.',
  B47: 'Use `--on-exists skip` or `version`, or another --out.',
  B48: 'Give the row a new id, or run with `--changed rerun`, which pays again.',
  B49: 'Set CALLSHEET_API_KEY, or give --api-key-file.',
  B50: 'Use https://host; http only for this machine.',
  B51: "Nothing: the plan's cap is used.",
  B52: 'Correct the amount, raise the budget, or take rows out.',
  B53: 'Declare `account.exclusive` if it is true, else use hold.',
  B54: 'Make the place writable or choose another --out.',
  B56: 'Correct the setting; `callsheet config show --origin` shows where it comes from.',
};

/** The flags of rows that ended: what each says, and what to do about it. */
export const FLAG_TEXTS: Readonly<Record<Flag, { meaning: string; billed: string; advice: string }>> = {
  possibly_paid_twice: {
    meaning: 'The row was submitted again although an earlier attempt of it may have been billed.',
    billed: 'perhaps twice',
    advice: '`callsheet review show` names the attempts; ask the service about them.',
  },
  overridden: {
    meaning:
      'A person, or the policy of the batch, let the row be submitted again before its earlier attempt was settled.',
    billed: 'each attempt that was carried out',
    advice: 'Nothing.',
  },
  removed: {
    meaning: 'The row left the manifest after an attempt of it had been made.',
    billed: 'as its status says',
    advice: 'Nothing: it keeps its file and is not run again.',
  },
  settled_together: {
    meaning:
      'The attempt was counted with others of the same price: which of them were billed is known as a number alone.',
    billed: 'as the group was settled',
    advice: '`callsheet review list` shows the group.',
  },
  rerun_failed: {
    meaning: 'Another render of the row was ordered and brought no output: it stays done with its earlier file.',
    billed: 'the earlier render; `reason` in results.csv says why the other one ended',
    advice:
      'Give the order again: `callsheet rerun BATCH ID`; where a file that feeds it was changed (input_changed), `callsheet retry BATCH --accept-inputs`, which takes that file and renders the row.',
  },
  stale_input: {
    meaning:
      'What feeds the row, or what feeds that, was rendered again or changed since: its file shows the earlier one.',
    billed: 'once',
    advice:
      '`callsheet rerun BATCH ID` renders it with the newer file; its cost is asked first. Where what feeds it has the flag, too, give that one the order, with `--with-dependents`.',
  },
};
