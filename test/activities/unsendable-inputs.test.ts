// A row whose bytes fit no request ends: it is not tried again for ever.
import { expect, test } from 'vitest';
import type { Dependencies } from '../../activities/dependencies.js';
import type { InputWork } from '../../activities/files/input-urls.js';
import { buildRequest } from '../../activities/files/media.js';
import { adapterFor } from '../../src/kinds/index.js';
import { filmRow } from '../support/stack.js';

test('an inline input that no text holds is missing, and says what to do', async () => {
  const medium = { source: 'blob', sha256: 'a', mediaType: 'image/tiff', bytes: 450_000_000 } as const;
  const row = filmRow('one', { media: { image: [medium] } });
  const work = { row, feeders: [], adapter: adapterFor(row.kind), options: {}, batch: 'b' } as unknown as InputWork;
  const deps = { home: { getBlob: async () => Buffer.alloc(450_000_000) }, settings: {} } as unknown as Dependencies;
  expect(await buildRequest(deps, work, 'url', undefined)).toEqual({
    reason: 'input_missing',
    text: 'the input is larger than 400 MB, which no request holds',
  });
});
