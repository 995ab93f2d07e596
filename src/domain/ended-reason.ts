import type { ReasonCode } from './failure.js';

/** The documents list no code for it, so only plain words of the provider count; everything else stays `render_failed`. */
const MODERATION =
  /\bmoderat|\bnsfw\b|\b(safety|content|policy)[ _-](check|filter|system|policy|violation)|\bprohibited content\b/i;

/** The reason of a job that the service ended without a result, from its words (service document 2, States). */
export function endedReason({
  word,
  code,
  message,
}: {
  word: string;
  code?: string | undefined;
  message: string;
}): ReasonCode {
  const lower = word.toLowerCase();
  if (lower === 'cancelled' || lower === 'canceled') return 'render_cancelled';
  if (lower === 'expired') return 'render_expired';
  return MODERATION.test(`${code ?? ''} ${message}`) ? 'render_moderated' : 'render_failed';
}
