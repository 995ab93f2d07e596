import { formatCredits } from '../../domain/money.js';
import type { Session } from '../session.js';
import { amount } from '../views/counts.js';

/** A setting about money that a settings file of the working folder brings. */
export interface FileSetting {
  setting: string;
  value: string;
  /** `callsheet.config.json:2:5` */
  where: string;
}

/** Whoever runs a manifest in somebody else's folder sees what its settings file says of money. */
export function fileSettings({ config, origins }: Pick<Session, 'config' | 'origins'>): FileSetting[] {
  const { budget, sync } = config;
  const values: [setting: string, value: string][] = [
    ['ambiguity', config.ambiguity],
    ['alwaysMaxWaste', formatCredits(config.alwaysMaxWaste)],
    ['sync.maxWaste', formatCredits(sync.maxWaste)],
    ['budget.askAbove', formatCredits(budget.askAbove)],
    ['budget.maxCredits', budget.maxCredits === null ? 'none' : formatCredits(budget.maxCredits)],
    ['prices', amount(config.prices.length, 'rule')],
  ];
  return values.flatMap(([setting, value]) => {
    const { name, where = 'the settings file' } = origins.get(setting) ?? {};
    return name === 'config file' ? [{ setting, value, where }] : [];
  });
}
