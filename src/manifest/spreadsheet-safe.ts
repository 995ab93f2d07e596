/** Blanks of every width, which spreadsheets skip before they look for a formula. */
const BLANKS = '[\\s\\u200b-\\u200f\\u2060]*';

/** `= + - @` in plain or full-width form, also after blanks; or a TAB or CR at the start, also after blanks. */
const FORMULA = new RegExp(`^${BLANKS}[=+\\-@\\uff1d\\uff0b\\uff0d\\uff20]|^[^\\S\\t\\r]*[\\t\\r]`, 'u');

/** A text cell that no spreadsheet takes for a formula: an apostrophe goes before one that it would. */
export function spreadsheetSafe(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}
