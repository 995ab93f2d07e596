// What keeps an output from its name is found by the plan, before anything is paid (B47).
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { cli, workFolder } from './harness.js';

let folder: string;
let media: string;
beforeEach(() => {
  folder = workFolder();
  media = join(folder, 'out', 'b', 'media');
  mkdirSync(media, { recursive: true });
});

/** Plans rows with these outputs. */
async function plan(outputs: string[], ...flags: string[]) {
  const rows = outputs.map((output, i) => `r${i},svc/image,svc-delta-4,prompt ${i},${output}\n`);
  writeFileSync(join(folder, 'b.csv'), `id,kind,model,prompt,output\n${rows.join('')}`);
  const place = ['--out', join(folder, 'out'), '--home', join(folder, 'home')];
  return cli(['plan', 'b.csv', '--no-network', ...place, ...flags], { cwd: folder });
}

describe('B47: a name that is taken by no file', () => {
  beforeEach(() => {
    mkdirSync(join(media, 'd.png', 'deep'), { recursive: true });
    mkdirSync(join(media, 'free'));
    mkdirSync(join(media, 'v1.2'));
    symlinkSync('/etc/passwd', join(media, 'h.png'));
    symlinkSync('/nowhere', join(media, 'i.png'));
  });

  test('by a folder or a link, wherever it leads, is refused; a folder of another name is in nobody’s way', async () => {
    const refused = await plan(['d', 'h', 'i', 'free', 'v1', 'free/x']);
    expect(refused.exitCode, refused.stderr).toBe(2);
    const said = refused.stderr.split('\n').filter((line) => line.includes('B47'));
    expect(said).toEqual(
      [
        '2:1: B47 refusing to overwrite media/d.png',
        '3:1: B47 refusing to overwrite media/h.png',
        '4:1: B47 refusing to overwrite media/i.png',
      ].map((start) => expect.stringContaining(`b.csv:${start}; use --on-exists skip or version`)),
    );
    expect(refused.stderr).toContain('3 output names are taken: nothing was submitted');
  });

  test('`--errors` has each of them, also those that are not shown', async () => {
    const outputs = Array.from({ length: 22 }, (_, i) => `t${i}`);
    for (const name of outputs) mkdirSync(join(media, `${name}.png`));
    const refused = await plan(outputs, '--errors', 'problems.csv');
    expect([refused.exitCode, refused.stderr.match(/: B47 /g)?.length]).toEqual([2, 20]);
    expect(refused.stderr).toMatch(/22 output names are taken: nothing was submitted; all are in .*problems\.csv\n$/);
    const [header, first, ...more] = readFileSync(join(folder, 'problems.csv'), 'utf8').trimEnd().split('\n');
    expect(header).toBe('file,line,column,code,id,field,message');
    expect([first, more.length]).toEqual([expect.stringMatching(/b\.csv,2,1,B47,r0,,"?refusing to overwrite/), 21]);
  });

  test('is stepped around or left alone as one that a file has', async () => {
    expect((await plan(['d', 'h', 'i'], '--on-exists', 'version')).exitCode).toBe(0);
    const skipping = await plan(['d', 'h', 'i', 'x'], '--on-exists', 'skip', '--json');
    expect(JSON.parse(skipping.stdout)).toMatchObject({ skippedFiles: ['media/d.png', 'media/h.png', 'media/i.png'] });
  });
});

describe('B47: what stands where an output needs a folder', () => {
  test.each(['fail', 'version', 'skip'])('is refused, as no other name would do (%s)', async (onExists) => {
    writeFileSync(join(media, 'j'), 'of someone else');
    writeFileSync(join(media, 'K.png'), 'of someone else');
    symlinkSync('/nowhere', join(media, 'l'));
    mkdirSync(join(media, 'real'));
    symlinkSync('real', join(media, 'linked'));
    const refused = await plan(['j/k', 'k.png/a/b', 'l/m', 'linked/n', 'jj/j'], '--on-exists', onExists);
    expect(refused.exitCode, refused.stderr).toBe(2);
    const said = refused.stderr.split('\n').filter((line) => line.includes('B47'));
    const text = (line: number, stem: string, file: string) =>
      `b.csv:${line}:1: B47 the output '${stem}' needs a folder where ${file} is; move that away, or give the row another output name`;
    expect(said.map((line) => line.slice(line.indexOf('b.csv')))).toEqual([
      text(2, 'j/k', 'media/j'),
      text(3, 'k.png/a/b', 'media/K.png'),
      text(4, 'l/m', 'media/l'),
    ]);
  });
});
