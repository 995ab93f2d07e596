/**
 * The problem codes that are not about one cell of a manifest: settings, the key, places, the plan. Together with the
 * manifest's own they are all codes that callsheet prints.
 */
export const SETTING_CODES = {
  B34: 'Callbacks were asked for a kind whose route has none.',
  B47: 'A file that is not ours stands where an output belongs.',
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
