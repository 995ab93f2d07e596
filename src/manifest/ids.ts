import { showText } from './problem.js';

/** The naming rule of ids and batch names, in the words of the messages. */
export const NAME_RULE = 'letters, digits, . _ - (max 120)';

const NAME = /^[A-Za-z0-9._-]{1,120}$/;
const API_KEY = /sk-svc-/i;
const WINDOWS_DEVICE = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/i;

/** Why a name breaks the rule of ids and batch names; undefined when it keeps it. */
export function nameFlaw(name: string): string | undefined {
  if (!NAME.test(name)) return `may use ${NAME_RULE}`;
  if (name.startsWith('.') || name.endsWith('.')) return 'may not start or end with a dot';
  if (name.includes('..')) return "may not contain '..'";
  // Names are shown and stored everywhere.
  if (API_KEY.test(name)) return 'may not be an API key';
  if (isWindowsDevice(name)) return 'may not be a Windows device name';
  return undefined;
}

export function isWindowsDevice(name: string): boolean {
  return WINDOWS_DEVICE.test(name);
}

/** Two names are the same when they are equal without regard to case and Unicode form. */
export function foldName(name: string): string {
  return name.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC');
}

/**
 * The batch's name: `--name`, or the manifest's file stem. Standard input has none. A stem that breaks the naming
 * rule is refused with a `--name` to use.
 */
export function batchNameFrom(path: string | undefined, name?: string): { name: string } | { message: string } {
  if (name !== undefined) {
    const flaw = nameFlaw(name);
    return flaw === undefined ? { name } : { message: `--name '${showText(name)}' ${flaw}` };
  }
  if (path === undefined) return { message: 'a manifest on standard input needs --name' };
  const stem = (path.split(/[/\\]/).pop() ?? '').replace(/(?<=.)\.(?:csv|tsv|txt|jsonl|ndjson)$/i, '');
  const flaw = nameFlaw(stem);
  if (flaw === undefined) return { name: stem };
  return {
    message: `the manifest's name '${showText(stem)}' cannot name the batch (it ${flaw}); use --name ${nearestName(stem)}`,
  };
}

/** The text bent into the naming rule: the same characters where they are allowed, `-` elsewhere. */
export function nearestName(text: string): string {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '');
  const bent = plain
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/\.{2,}/g, '.')
    .slice(0, 120)
    .replace(/^[.-]+|[.-]+$/g, '');
  if (bent === '') return 'batch';
  return isWindowsDevice(bent) ? `_${bent}`.slice(0, 120) : bent;
}
