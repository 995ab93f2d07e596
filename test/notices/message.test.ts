import { expect, test } from 'vitest';
import type { Notice } from '../../src/domain/notice.js';
import { messageFor } from '../../src/notices/message.js';

const notice: Notice = {
  ...{ schema: 1, id: 'id', type: 'done', atMs: 0, account: 'a', batch: '<!channel> @everyone *x* & y' },
  ...{ counts: { done: 3, failed: 0 }, credits: '1.5' },
};

function sent(url: string): Record<string, unknown> {
  return JSON.parse(messageFor(url, notice, 'secret', 0).body);
}

test('Slack: one text in which a name calls nobody', () => {
  const { text } = sent('https://hooks.slack.com/services/x');
  expect(text).toBe('callsheet &lt;!channel&gt; @\u200beveryone *x* &amp; y: ended: done 3; 1.5 credits');
});

test('Discord: one text without mentions', () => {
  const body = sent('https://discord.com/api/webhooks/1/x');
  expect(body.allowed_mentions).toEqual({ parse: [] });
  expect(body.content).toContain('\\<!channel\\> @\u200beveryone \\*x\\*');
});

test.each(['<@U012AB3CD>', '<!here>', '<!subteam^S1|team>', '@here', '<@&1>', '<@!1>', '<#C1>'])(
  'a batch named %s calls nobody in Slack or Discord',
  (batch) => {
    for (const url of ['https://hooks.slack.com/services/x', 'https://ptb.discord.com/api/webhooks/1/x']) {
      const body = JSON.parse(messageFor(url, { ...notice, batch }, null, 0).body);
      expect(body.text ?? body.content).not.toMatch(/@(?!\u200b)|(?<!\\)<[@!#]/);
    }
  },
);

test('anywhere else, also where a path or subdomain looks like theirs: the notice itself', () => {
  expect(sent('https://hooks.slack.com.example.com/x')).toMatchObject({ id: 'id', type: 'done', credits: '1.5' });
  expect(sent('https://example.com/discord.com')).toMatchObject({ id: 'id' });
});
