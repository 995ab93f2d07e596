import { createHmac } from 'node:crypto';
import type { Notice } from '../domain/notice.js';
import { orderWords } from '../domain/order-words.js';

/** One POST to a webhook. */
export interface Message {
  body: string;
  headers: Record<string, string>;
}

const SLACK = /^hooks\.slack(-gov)?\.com$/;
const DISCORD = /^((canary|ptb)\.)?discord(app)?\.com$/;

/**
 * What a webhook is sent: JSON in the shape of Slack or Discord for their hosts, else the notice itself. With a secret
 * the last is signed: `x-callsheet-signature: sha256=` with the HMAC-SHA256 of `<timestamp>.<body>` in hex, the
 * timestamp in epoch seconds being `x-callsheet-timestamp`.
 */
export function messageFor(url: string, notice: Notice, secret: string | null, nowMs: number): Message {
  const { hostname } = new URL(url);
  const common = { 'content-type': 'application/json', 'user-agent': 'callsheet' };
  if (SLACK.test(hostname)) return { body: JSON.stringify(slackBody(notice)), headers: common };
  if (DISCORD.test(hostname)) return { body: JSON.stringify(discordBody(notice)), headers: common };
  const body = noticeJson(notice);
  const timestamp = String(Math.floor(nowMs / 1_000));
  const headers = { ...common, 'x-callsheet-event-id': notice.id, 'x-callsheet-timestamp': timestamp };
  if (secret === null) return { body, headers };
  const signature = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
  return { body, headers: { ...headers, 'x-callsheet-signature': `sha256=${signature}` } };
}

/** The notice as webhooks and commands get it. */
export function noticeJson({ atMs, ...notice }: Notice): string {
  return JSON.stringify({ ...notice, at: new Date(atMs).toISOString(), text: noticeText({ atMs, ...notice }) });
}

/** A name of a batch must call nobody: Slack reads `<!channel>`, and `@` where links are found in names. */
function slackBody(notice: Notice): object {
  const text = apart(noticeText(notice)).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return { text, mrkdwn: false, link_names: false };
}

function discordBody(notice: Notice): object {
  const content = apart(noticeText(notice)).replace(/[\\*_~`|<>[\]()#]/g, '\\$&');
  return { content, allowed_mentions: { parse: [] } };
}

/** With a zero-width space behind each `@`. */
function apart(text: string): string {
  return text.replaceAll('@', '@\u200b');
}

/** A notice as one line of text. Pure. */
export function noticeText(notice: Notice): string {
  return `callsheet ${notice.batch ?? notice.account}: ${whatOf(notice)}`;
}

function whatOf(notice: Notice): string {
  const { counts = {}, credits, reason, percent, minutes } = notice;
  const rows = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([status, count]) => `${status} ${count}`)
    .join(', ');
  const cost = credits === undefined ? '' : `; ${credits ?? 'an unknown number of'} credits`;
  switch (notice.type) {
    case 'done':
      return `ended${reason === undefined ? '' : ` early (${reason})`}: ${rows}${cost}`;
    case 'sampled':
      return `the sample is rendered and the rest waits for \`callsheet approve\`: ${rows}${cost}`;
    case 'review_needed':
      return `rows need a person: ${rows}`;
    case 'paused':
      return `paused (${reason}): \`callsheet ${orderWords('status', notice.batch ?? '')}\` says why and what to do`;
    case 'budget':
      if (reason !== undefined) return `no further row fits into the budget${cost}`;
      return `${percent} % of the budget is spent${cost}`;
    case 'no_progress':
      return `no row has ended for ${minutes} min`;
    case 'late_output':
      return `an output came after what it feeds had ended: \`callsheet ${orderWords('retry', notice.batch ?? '')}\` runs that`;
    case 'test':
      return 'a test; notices arrive here';
  }
}
