/**
 * The API key, and what keeps it and other hazards out of everything that is printed or recorded.
 * A key starts with `sk-svc-` (service document 1, Authentication).
 */
const KEY_FORM = /^sk-svc-[\x21\x23-\x26\x28-\x5f\x61-\x7e]+$/;
/**
 * A key does not begin within a word: handles and URLs of outputs are sent and fetched to the letter, and `task-svc-…` is
 * none. An escape of JSON or of a URL may end in a letter or a digit without being one. The plain letters come first: a
 * long text is searched for those at once.
 */
export const KEY_START = String.raw`sk-svc-(?<=(?:(?<![A-Za-z0-9])|\\[bfnrt]|\\u[0-9A-Fa-f]{4}|%[0-9A-Fa-f]{2})sk-svc-)`;
const KEY_IN_TEXT = new RegExp(`${KEY_START}[^\\s"'\`]+`, 'g');
/** A flag with the key right behind it, as other programs take a password: `-ksk-svc-…` is no word that a key is a part of. */
const KEY_BEHIND_FLAG = /sk-svc-(?<=(?:^|[\s"'`])-[\w-]*sk-svc-)[^\s"'`]+/g;
const KEY_IN_JSON = new RegExp(`${KEY_START}[^\\s"'\`\\\\]+`, 'g');
const REDACTED = '[redacted]';

/** Control characters, line separators and the marks that reorder text on a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: taking them out is the purpose.
const HAZARDS = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]+/g;

const inspectCustom: unique symbol = Symbol.for('nodejs.util.inspect.custom');

/** A value that prints as `[redacted]` wherever it ends up; only `reveal` gives it. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return REDACTED;
  }

  toJSON(): string {
    return REDACTED;
  }

  [inspectCustom](): string {
    return REDACTED;
  }
}

/** An environment for other programs: the key of the service is nobody else's business. */
export function withoutOurs(
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !/^CALLSHEET_/.test(name)));
}

type KeyProblem = 'missing' | 'wrong_form';

/** Whether a key can be one: the prefix, then visible ASCII without quotes or blanks. Never says what was given. */
export function checkKeyForm(text: string | undefined): KeyProblem | undefined {
  if (text === undefined || text.trim() === '') return 'missing';
  return KEY_FORM.test(text) ? undefined : 'wrong_form';
}

/** The text without anything that looks like a key: for words that somebody typed, and otherwise as it is. */
export function withoutTypedKeys(text: string): string {
  return text.replace(KEY_IN_TEXT, REDACTED).replace(KEY_BEHIND_FLAG, REDACTED);
}

/**
 * The text without this key and without anything else that looks like one. In JSON it stays JSON: a backslash is no part
 * of what only looks like a key, since it may escape the quote behind it.
 */
export function withoutKeys(text: string, key: string): string {
  const inJson = JSON.stringify(key).slice(1, -1);
  return text.replaceAll(inJson, REDACTED).replaceAll(key, REDACTED).replace(KEY_IN_JSON, REDACTED);
}

/**
 * Someone else's words made fit for a record or a terminal: control characters become one blank, anything that looks
 * like a key is redacted, and at most `lengthMax` characters stay.
 */
export function safeText(text: string, lengthMax = 500): string {
  // A message of megabytes is cut before it is searched: a key that the cut splits keeps its prefix and is still found.
  const clean = text
    .slice(0, lengthMax * 4 + 1_000)
    .replace(HAZARDS, ' ')
    .replace(KEY_IN_TEXT, REDACTED)
    .trim();
  const characters = Array.from(clean);
  return characters.length > lengthMax ? `${characters.slice(0, lengthMax - 1).join('')}…` : clean;
}
