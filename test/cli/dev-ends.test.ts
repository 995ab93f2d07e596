import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { sayAwaited } from '../../src/cli/machine/run-engine.js';
import type { Session } from '../../src/cli/session.js';
import { type ControlReply, serveControl } from '../../src/engine/control.js';
import { enginePlaces } from '../../src/engine/places.js';

test('Ctrl-C of `dev` says what paid calls it waits for, once, and how not to', async () => {
  const data = realpathSync(mkdtempSync(join(tmpdir(), 'callsheet-dev-')));
  const awaited = [{ untilMs: Date.now() + 600_000, creditsNano: 40_000_000 }];
  let asked = 0;
  const control = await serveControl(enginePlaces(data).socket, async () => {
    asked += 1;
    return { ok: true, status: { state: 'stopping', awaited } } as unknown as ControlReply;
  });
  const said: string[] = [];
  const terminal = { note: (line: string) => said.push(line) };
  const session = { config: { data }, terminal, origins: new Map() } as unknown as Session;
  let end: () => void = () => undefined;
  const saying = sayAwaited(session, new Promise<void>((resolve) => (end = resolve)));
  await vi.waitUntil(() => asked === 2, 10_000);
  end();
  await saying;
  control.close();
  expect(said).toEqual([
    expect.stringMatching(
      /^the engine ends: it waits for 1 paid call \(0\.04 credits\), until .*engine stop --now` does not wait$/,
    ),
  ]);
});
