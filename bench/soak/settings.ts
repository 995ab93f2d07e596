/** What every soak is run with. */

export const SPEED = 30;
export const LIMITS = { rpm: 20_000, concurrent: 20 };
export const LANES = 4;
export const ROWS_PER_BATCH = 200;
export const KILL_EVERY_S = [20, 60] as const;
export const SAMPLE_EVERY_S = 20;
export const TOP_UP_EVERY_S = 300;
export const TOP_UP = '20';
export const FAIL_RATE = 0.02;
export const LAG_S = 20;
/** More than twice the double's longest render: a case that shows at the end alone is waited for no longer. */
export const RENDER_MAX_S = 600;
