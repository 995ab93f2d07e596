import { describe, expect, test } from 'vitest';
import { isLoopbackAddress, isPublicAddress } from '../../src/service/public-address.js';

const PUBLIC = ['8.8.8.8', '1.1.1.1', '52.95.110.1', '2606:4700:4700::1111', '2a00:1450:4001:80e::200e'];
/** An IPv4 address that an IPv6 one stands for counts as itself; NAT64 is how IPv6-only networks reach IPv4. */
const PUBLIC_INSIDE = ['::ffff:8.8.8.8', '::ffff:808:808', '64:ff9b::8.8.8.8', '64:ff9b::101:101'];

const SPECIAL = {
  loopback: ['127.0.0.1', '127.255.255.254', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1'],
  private: ['10.0.0.5', '172.16.0.1', '172.31.255.255', '192.168.1.1', '::ffff:10.0.0.5', '::ffff:c0a8:101'],
  'link-local and cloud metadata': ['169.254.169.254', '::ffff:169.254.169.254', 'fe80::1', 'fe80::1%eth0'],
  'unspecified and this network': ['0.0.0.0', '0.1.2.3', '::', '::ffff:0.0.0.0'],
  'shared, documentation, benchmark, reserved': [
    '100.64.0.1',
    '192.0.0.1',
    '192.0.2.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '240.0.0.1',
    '255.255.255.255',
  ],
  multicast: ['224.0.0.1', '239.255.255.250', 'ff02::1', 'ff05::2'],
  'AS112, AMT, 6to4 relay': ['192.175.48.1', '192.31.196.1', '192.52.193.1', '192.88.99.1'],
  'unique local and site local': ['fc00::1', 'fd12:3456::1', 'fec0::1'],
  'NAT64 to what is not public': ['64:ff9b::127.0.0.1', '64:ff9b::a00:5', '64:ff9b::a9fe:a9fe', '64:ff9b:1::8.8.8.8'],
  'tunnels that can lead inside': ['2002:7f00:1::', '2002:808:808::1', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  'IPv4-compatible and translated': ['::127.0.0.1', '::8.8.8.8', '::ffff:0:8.8.8.8', '::1234'],
  'documentation, discard, benchmark, ORCHID, segment routing': [
    '2001:db8::1',
    '3fff::1',
    '100::1',
    '2001:2::1',
    '2001:10::1',
    '2001:20::1',
    '5f00::1',
  ],
  'not yet given out': ['4000::1', '8000::1', '1::1'],
};

describe('threats: SSRF: which addresses are public', () => {
  test.each([...PUBLIC, ...PUBLIC_INSIDE])('%s is', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  test.each(Object.entries(SPECIAL).flatMap(([sort, all]) => all.map((address) => [address, sort])))(
    '%s is not (%s)',
    (address) => {
      expect(isPublicAddress(address)).toBe(false);
    },
  );

  test.each([
    '',
    'localhost',
    'example.com',
    '2130706433',
    '0x7f.1',
    '127.1',
    '010.8.8.8',
    '8.8.8.8:80',
    '[::1]',
    '8.8.8',
  ])('%j is no address in plain notation, so it is not', (text) => {
    expect(isPublicAddress(text)).toBe(false);
  });
});

test('loopback is 127.0.0.0/8 and ::1, mapped or not, and nothing that looks like it', () => {
  for (const address of SPECIAL.loopback) expect(isLoopbackAddress(address)).toBe(true);
  for (const other of ['128.0.0.1', '10.0.0.1', '::2', '64:ff9b::7f00:1', '::127.0.0.1', 'localhost', '127.1']) {
    expect(isLoopbackAddress(other)).toBe(false);
  }
});
