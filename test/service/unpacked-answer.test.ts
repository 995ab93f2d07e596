import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { unpackedAnswer } from '../../src/service/answer-bytes.js';
import { createTransport } from '../../src/service/transport.js';
import { serve } from '../download/broken-server.js';

const TEXT = JSON.stringify({ task_id: 'a-handle', filler: Array.from({ length: 400 }, (_, i) => `${i * 7919}`) });
const PACKED = {
  gzip: gzipSync(TEXT),
  br: brotliCompressSync(TEXT),
  deflate: deflateSync(TEXT),
  'X-GZIP': gzipSync(TEXT),
  // Without the two bytes of zlib; by two gateways; by one that says that another did nothing.
  'deflate ': deflateRawSync(TEXT),
  'br, gzip': gzipSync(brotliCompressSync(TEXT)),
  'gzip, identity': gzipSync(TEXT),
};

describe('an answer that a gateway has packed', () => {
  it.each(Object.entries(PACKED))('is read (%s), whole or as far as it came', (encoding, packed) => {
    expect(unpackedAnswer(packed, encoding, 1e6).toString()).toBe(TEXT);
    const cut = unpackedAnswer(packed.subarray(0, packed.length - 20), encoding, 1e6).toString();
    expect(TEXT.startsWith(cut)).toBe(true);
    expect(cut).toContain('a-handle');
  });

  it('stays as it is where it is not what its header says, or would grow beyond all bounds', () => {
    expect(unpackedAnswer(Buffer.from('{}'), 'gzip', 1e6).toString()).toBe('{}');
    expect(unpackedAnswer(Buffer.from(TEXT), 'deflate', 1e6).toString()).toBe(TEXT);
    expect(unpackedAnswer(PACKED.gzip, 'zstd', 1e6)).toBe(PACKED.gzip);
    expect(unpackedAnswer(PACKED.gzip, 'gzip', 10)).toBe(PACKED.gzip);
  });

  it.each<[string[]]>([[['gzip']], [['gzip', 'gzip']]])(
    'reaches whoever reads the exchange, also where two name it: %j',
    async (named) => {
      const server = await serve((_request, response) => {
        response.setHeader('content-encoding', named);
        response.end(PACKED.gzip);
      });
      const transport = createTransport({ baseUrl: `http://127.0.0.1:${server.port}`, userAgent: 'x', key: () => 'k' });
      const exchange = await transport.send({ method: 'GET', path: '/v1/credits' });
      expect(exchange.outcome === 'answered' && Buffer.from(exchange.answer.body).toString()).toBe(TEXT);
      await transport.close();
    },
  );
});
