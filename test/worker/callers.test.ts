// A lost call's time begins when its process was seen to be gone (design 3, `t0`).
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { createCallers } from '../../src/worker/callers.js';

test.skipIf(process.platform !== 'linux')(
  'a process that ended is gone, one that lives or is elsewhere is not',
  async () => {
    const { own, isGone } = createCallers();
    expect(own).not.toBeNull();
    expect(isGone(own ?? '')).toBe(false);
    const child = spawn(process.execPath, ['-e', '']);
    await once(child, 'exit');
    const [boot, numbering] = (own ?? '').split(' ');
    expect(isGone(`${boot} ${numbering} ${child.pid} 1`)).toBe(true);
    expect(isGone(`another-boot ${numbering} ${child.pid} 1`)).toBe(false);
    expect(isGone(`${boot} pid:[1] ${child.pid} 1`)).toBe(false);
    expect(isGone('nonsense')).toBe(false);
  },
);
