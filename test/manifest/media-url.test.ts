import { describe, expect, it } from 'vitest';
import { createHostChecker } from '../../src/manifest/media/media-url.js';
import { checkText, csv } from './support.js';

const edit = { id: 'a', kind: 'svc/edit', model: 'svc-beta-image-edit-2511', prompt: 'p', width: '64', height: '64' };
const avatar = { id: 'a', kind: 'vendor-b/avatar', avatar_id: 'anna' };

async function problemsOf(image: string, options: Parameters<typeof checkText>[1] = {}): Promise<string[]> {
  return (await checkText(csv({ ...edit, image }), options)).printed;
}

describe('B44: media URLs', () => {
  it.each([
    'ftp://bob:hunter2@media.example/a.png',
    'https://bob:hunter2@media.example:99999/a.png',
    'https://bob:hunter2@me dia.example/a.png',
    'https://bob:hun/ter2@media.example/a.png',
    'https://media.example/a|https://bob:hunter2@media.example/b',
    's3://bob:hunter2@bucket/key',
  ])('a password is not shown, whatever else is wrong: %s', async (url) => {
    const [said] = await problemsOf(url, { s3Media: { lookAtS3: async () => ({ ok: true, bytes: 1 }) } });
    expect(said).toMatch(/B44 .*:\/\/\[redacted\]@/);
    expect(said).not.toMatch(/bob|hun|ter2/);
  });

  it.each([
    'https://media.example/a.png',
    'http://media.example/a.png',
    'https://media.example:8443/a.png?sig=a%2Fb&x=|#part',
    'https://93.184.216.34/a.png',
    'https://[2606:2800:220:1:248:1893:25c8:1946]/a.png',
    'HTTPS://MEDIA.EXAMPLE/a.png',
    'https://münchen.example/a.png',
    'https://media.example./a.png',
  ])('takes %s', async (url) => {
    expect(await problemsOf(url)).toEqual([]);
  });

  it.each([
    ['http://10.0.0.5/a.png', 'host is 10.0.0.5'],
    ['http://172.16.0.1/a.png', 'host is 172.16.0.1'],
    ['http://192.168.1.1/a.png', 'host is 192.168.1.1'],
    ['http://127.0.0.1/a.png', 'host is 127.0.0.1'],
    ['http://127.1/a.png', 'host is 127.0.0.1'],
    ['http://2130706433/a.png', 'host is 127.0.0.1'],
    ['http://0x7f.0.0.1/a.png', 'host is 127.0.0.1'],
    ['http://0x7f000001/a.png', 'host is 127.0.0.1'],
    ['http://0177.0.0.1/a.png', 'host is 127.0.0.1'],
    ['http://017700000001/a.png', 'host is 127.0.0.1'],
    ['http://①②⑦.0.0.1/a.png', 'host is 127.0.0.1'],
    ['http://0/a.png', 'host is 0.0.0.0'],
    ['http://169.254.169.254/latest/meta-data', 'host is 169.254.169.254'],
    ['http://100.64.0.1/a.png', 'host is 100.64.0.1'],
    ['http://192.0.2.1/a.png', 'host is 192.0.2.1'],
    ['http://198.18.0.1/a.png', 'host is 198.18.0.1'],
    ['http://224.0.0.1/a.png', 'host is 224.0.0.1'],
    ['http://255.255.255.255/a.png', 'host is 255.255.255.255'],
    ['http://[::1]/a.png', 'host is ::1'],
    ['http://[::]/a.png', 'host is ::'],
    ['http://[::ffff:127.0.0.1]/a.png', 'host is ::ffff:7f00:1'],
    ['http://[::ffff:a00:5]/a.png', 'host is ::ffff:a00:5'],
    ['http://[::127.0.0.1]/a.png', 'host is ::7f00:1'],
    ['http://[64:ff9b::7f00:1]/a.png', 'host is 64:ff9b::7f00:1'],
    ['http://[2002:7f00:1::]/a.png', 'host is 2002:7f00:1::'],
    ['http://[fe80::1]/a.png', 'host is fe80::1'],
    ['http://[fc00::1]/a.png', 'host is fc00::1'],
    ['http://[ff02::1]/a.png', 'host is ff02::1'],
    ['http://[2001:db8::1]/a.png', 'host is 2001:db8::1'],
    ['http://localhost/a.png', 'host is localhost'],
    ['http://LOCALHOST./a.png', 'host is localhost'],
    ['http://a.localhost/a.png', 'host is localhost'],
    ['http://printer.local/a.png', "host 'printer.local' is a private name"],
    ['http://vault.internal/a.png', "host 'vault.internal' is a private name"],
  ])('refuses %s', async (url, reason) => {
    expect(await problemsOf(url)).toEqual([`<stdin>:2:7: B44 image url must be public http or https (${reason})`]);
  });

  it.each([
    'file:///etc/passwd',
    'ftp://media.example/a.png',
    'gopher://media.example/',
    'javascript:alert(1)',
    'https:/media.example/a.png',
    'https:media.example',
    'https://',
    'http:\\\\media.example\\a.png',
    'https://media.example\\@10.0.0.5/a.png',
    'https://media.example/a b.png',
    ' https://media.example/a.png',
    'https://media.example/a.png\n',
    'https://media.exam\tple/a.png',
    'https://[::1/a.png',
    'https://a..b:99999/',
  ])('refuses the form of %j', async (url) => {
    const problems = await problemsOf(url);
    expect(problems).toEqual([expect.stringMatching(/^<stdin>:2:7: B4[45] image/)]);
  });

  it('refuses credentials without showing them', async () => {
    const problems = await problemsOf('https://user:hunter2@media.example/a.png');
    expect(problems).toEqual(['<stdin>:2:7: B44 image must be a public http or https URL without credentials in it']);
  });

  it('refuses s3:// with a sentence of its own', async () => {
    expect(await problemsOf('s3://bucket/a.png')).toEqual([
      '<stdin>:2:7: B44 image: s3:// media are not read; give a public URL or a local file',
    ]);
  });

  it('takes s3:// where it can be looked at: signed for URL fields, by name and length', async () => {
    const looked: string[] = [];
    const s3Media = {
      isS3Reachable: true,
      lookAtS3: async (address: string) => {
        looked.push(address);
        if (address.endsWith('absent.png')) return { ok: false as const, reason: 'no such object' };
        return { ok: true as const, bytes: address.endsWith('empty.png') ? 0 : 900 };
      },
    };
    const images = [
      's3://bucket/a b/x.png',
      's3://bucket/a b/x.png',
      's3://bucket/absent.png',
      's3://bucket/empty.png',
    ];
    const rows = [...images, 's3://bucket/x.mp4', 's3://UPPER/x.png'].map((image, i) => ({
      ...edit,
      id: `r${i}`,
      image,
    }));
    const { printed, passed } = await checkText(csv(...rows), { s3Media, inputRoots: ['s3://bucket'] });
    expect(printed).toEqual([
      "<stdin>:4:7: B44 image: cannot read 's3://bucket/absent.png': no such object",
      '<stdin>:5:7: B45 image is empty (0 bytes)',
      expect.stringMatching(/^<stdin>:6:7: B40 image needs an image/),
      "<stdin>:7:7: B44 image: 's3://UPPER/x.png' is not s3://bucket/key",
    ]);
    expect(passed.map(({ media }) => media.image)).toEqual([0, 1].map(() => [{ source: 'url', url: images[0] }]));
    expect(looked.filter((address) => address === images[0])).toHaveLength(1);
  });

  it('takes s3:// only from below a root, and looks at nothing else', async () => {
    const looked: string[] = [];
    const lookAtS3 = async (address: string) => {
      looked.push(address);
      return { ok: true as const, bytes: 900 };
    };
    const good = ['s3://films/may/a.png', 's3://shots/june/b.png', 's3://library/c.png'];
    const bad = ['s3://films/mayday/a.png', 's3://films/a.png', 's3://private/may/a.png', 's3://films/may/../a.png'];
    const rows = [...good, ...bad].map((image, i) => ({ ...edit, id: `r${i}`, image }));
    const { printed } = await checkText(csv(...rows), {
      s3Media: { isS3Reachable: true, lookAtS3 },
      inputRoots: ['/media', 's3://films/may', 's3://library'],
      earlierOuts: async () => ['/out', 's3://shots/june'],
    });
    const outside = (line: number, image: string) =>
      `<stdin>:${line}:7: B44 image: '${image}' is below no --out of this account; add its place with --input-root`;
    expect(printed).toEqual([
      ...bad.slice(0, 3).map((image, i) => outside(5 + i, image)),
      "<stdin>:8:7: B44 image: 's3://films/may/../a.png' is not s3://bucket/key",
    ]);
    expect(looked).toEqual(good);
  });

  it('refuses s3:// where the service could not read the endpoint', async () => {
    const s3Media = { isS3Reachable: false, lookAtS3: async () => ({ ok: true as const, bytes: 900 }) };
    const { printed } = await checkText(csv({ ...avatar, audio: 's3://bucket/a.mp3' }), {
      ...{ s3Media, inputRoots: ['s3://bucket'] },
    });
    expect(printed).toEqual([
      '<stdin>:2:4: B44 audio: the service cannot read the S3 endpoint: it must be public https',
    ]);
  });

  it('https-only fields take no http, except loopback in a rehearsal', async () => {
    const row = (audio: string): string => csv({ ...avatar, audio });
    expect((await checkText(row('http://media.example/a.mp3'))).printed).toEqual([
      '<stdin>:2:4: B44 audio must be a public https URL, not http',
    ]);
    for (const url of ['http://127.0.0.1:8080/a.mp3', 'http://localhost:8080/a.mp3', 'http://[::1]:8080/a.mp3']) {
      expect((await checkText(row(url))).problemCount, url).toBe(1);
      expect((await checkText(row(url), { allowLoopback: true })).printed, url).toEqual([]);
    }
    expect((await checkText(row('http://10.0.0.5/a.mp3'), { allowLoopback: true })).problemCount).toBe(1);
  });

  it('keeps the URL as it is written', async () => {
    const url = 'https://media.example/%7Ea.png?Signature=a%2Bb==&x=1';
    const { passed } = await checkText(csv({ ...edit, image: url }));
    expect(passed[0]?.media).toEqual({ image: [{ source: 'url', url }] });
  });

  it('names the item of a list', async () => {
    const images = 'https://media.example/a.png | http://10.0.0.5/b.png';
    const { printed } = await checkText(csv({ id: 'a', kind: 'vendor-a/omni-video', images }));
    expect(printed).toEqual(['<stdin>:2:3: B44 images 2 url must be public http or https (host is 10.0.0.5)']);
  });
});

describe('resolved hosts', () => {
  const checker = (answers: Record<string, string[] | 'never'>, allowLoopback = false) => {
    const asked: string[] = [];
    const hosts = createHostChecker({
      allowLoopback,
      resolveHosts: true,
      resolve(name) {
        asked.push(name);
        const answer = answers[name] ?? [];
        return answer === 'never' ? new Promise(() => undefined) : Promise.resolve(answer);
      },
    });
    return { hosts, asked };
  };

  it('refuses a name that resolves to a private address, among others', async () => {
    const { hosts } = checker({ 'a.example': ['93.184.216.34', '10.0.0.5'], 'b.example': ['93.184.216.34', '::1'] });
    expect(await hosts.check('a.example')).toBe('host resolves to 10.0.0.5');
    expect(await hosts.check('b.example')).toBe('host resolves to ::1');
  });

  it('takes a name that does not resolve here, and asks once per host', async () => {
    const { hosts, asked } = checker({ 'a.example': ['93.184.216.34'] });
    for (const name of ['a.example', 'none.example', 'a.example', 'none.example']) {
      expect(await hosts.check(name)).toBeUndefined();
    }
    expect(asked).toEqual(['a.example', 'none.example']);
  });

  it('stops asking a resolver that never answers', async () => {
    const { hosts, asked } = checker({ 'a.example': 'never', 'b.example': 'never', 'c.example': 'never' });
    for (const name of ['a.example', 'b.example', 'c.example', 'd.example']) {
      expect(await hosts.check(name)).toBeUndefined();
    }
    expect(asked).toEqual(['a.example', 'b.example', 'c.example']);
  }, 15_000);

  it('takes a name that resolves to loopback in a rehearsal only', async () => {
    expect(await checker({ 'me.example': ['127.0.0.1'] }).hosts.check('me.example')).toBe('host resolves to 127.0.0.1');
    expect(await checker({ 'me.example': ['127.0.0.1'] }, true).hosts.check('me.example')).toBeUndefined();
  });
});
