import { formatDuration } from '../domain/duration.js';
import { formatCredits } from '../domain/money.js';
import { priceCellsText, pricePaidText } from '../domain/price.js';
import type { SampleQuote } from '../home/sample-quote.js';
import { rowsText } from './html.js';

/** The quote that a sample gives, in words and as JSON. Pure. */

const PRICES_SHOWN = 20;

/** Each with its name: the share of failures, what was measured, and what the rest costs and takes. */
export function quoteLines({ sample, measured, rows, ...range }: SampleQuote): [name: string, text: string][] {
  const prices = measured.slice(0, PRICES_SHOWN).map((price): [string, string] => {
    const which = [price.kind, priceCellsText(price.cells)].filter((part) => part !== '').join(' ');
    return ['measured', `${which}: ${pricePaidText(price)} credits, seen ${price.times}×`];
  });
  return [
    ['sample', shareText(sample)],
    ...(prices.length > 0 ? prices : [['measured', 'no price of these kinds yet'] as [string, string]]),
    ['quote', `${rowsText(rows)}: ${creditsText(range)}, ${timeText(range)}`],
  ];
}

function shareText({ ended, failed }: SampleQuote['sample']): string {
  const rows = rowsText(ended);
  return failed === 0 ? `${rows}, each with its output` : `${failed} of ${rows} brought no output`;
}

function creditsText({ lowNano, highNano }: Pick<SampleQuote, 'lowNano' | 'highNano'>): string {
  if (lowNano === null) return 'credits not known';
  if (highNano === null) return `${formatCredits(lowNano)} credits or more`;
  const low = lowNano === highNano ? '' : `${formatCredits(lowNano)} to `;
  return `${low}${formatCredits(highNano)} credits`;
}

function timeText({ lowMs, highMs }: Pick<SampleQuote, 'lowMs' | 'highMs'>): string {
  if (lowMs === null || highMs === null) return 'time not known';
  const [low, high] = [formatDuration(lowMs), formatDuration(highMs)];
  return low === high ? `about ${high}` : `${low} to ${high}`;
}

export function quoteJson({ atMs, sample, measured, rows, ...range }: SampleQuote): object {
  const { lowNano, highNano, lowMs, highMs } = range;
  const credits = (nano: number | null): string | null => (nano === null ? null : formatCredits(nano));
  return {
    at: new Date(atMs).toISOString(),
    sample,
    measured: measured.map(({ kind, cells, paidNano, times }) => ({ kind, cells, credits: credits(paidNano), times })),
    rest: {
      rows,
      credits: { low: credits(lowNano), high: credits(highNano) },
      seconds: {
        low: lowMs === null ? null : Math.floor(lowMs / 1_000),
        high: highMs === null ? null : Math.ceil(highMs / 1_000),
      },
    },
  };
}
