import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fedMedia, type Row } from '../../src/domain/row.js';
import type { ManifestSummary } from '../../src/manifest/manifest-options.js';
import { validateManifest } from '../../src/manifest/validate-manifest.js';

const HERO = 'svc/image,svc-alpha.2-klein-4b,a hero,,512,512,';
const EDIT = (image: string) => `svc/edit,svc-beta-image-edit-2511,in the rain,${image},512,512,`;
const FILM = (image: string) => `vendor-a/image2video,,she turns,${image},,,5`;
const CLIP = 'svc/clip,svc-epsilon-2.3-video,a street,,,,';
const HEADER = 'id,kind,model,prompt,image,width,height,duration';

async function check(
  lines: string[],
  header = HEADER,
  hasUploadStore = false,
): Promise<{ summary: ManifestSummary; rows: Row[] }> {
  const path = join(mkdtempSync(join(tmpdir(), 'callsheet-references-')), 'story.csv');
  writeFileSync(path, `${header}\n${lines.join('\n')}\n`);
  const rows: Row[] = [];
  const summary = await validateManifest({
    source: { path },
    resolveHosts: false,
    hasUploadStore,
    onRow: (row) => {
      rows.push(row);
    },
  });
  return { summary, rows };
}

const problemsOf = ({ problems }: ManifestSummary) =>
  problems.map(({ line, column, code, message }) => `${line}:${column} ${code} ${message}`);

describe('references between rows', () => {
  test('before and after the own line; rows come out in order with their feeders', async () => {
    const { summary, rows } = await check([
      `hero,${HERO}`,
      `late,${FILM('@edit')}`,
      `edit,${EDIT('@hero')}`,
      `film,${FILM('@hero')}`,
    ]);
    expect(problemsOf(summary)).toEqual([]);
    expect(rows.map(({ id, index }) => [id, index])).toEqual([
      ['hero', 0],
      ['late', 1],
      ['edit', 2],
      ['film', 3],
    ]);
    expect(rows.map((row) => fedMedia(row).map(({ id, at }) => [id, at]))).toEqual([
      [],
      [['edit', 2]],
      [['hero', 0]],
      [['hero', 0]],
    ]);
    expect(summary.chains).toMatchObject({ count: 1, rows: 4, fed: 3, longest: 3 });
  });

  test('the hash of a row follows the rows that feed it, in whatever order they stand, and no others', async () => {
    const lines = [`hero,${HERO}`, `edit,${EDIT('@hero')}`, `film,${FILM('@edit')}`, `other,${CLIP}`];
    const hashes = async (given: string[]) =>
      Object.fromEntries((await check(given)).rows.map(({ id, hash }) => [id, hash]));
    const first = await hashes(lines);
    expect(await hashes([...lines].reverse())).toEqual(first);
    const changed = await hashes(lines.map((line) => line.replace('a hero', 'a villain')));
    expect(changed.other).toBe(first.other);
    for (const id of ['hero', 'edit', 'film']) expect(changed[id]).not.toBe(first[id]);
  });

  test('a reference to a row that shares a render counts as one to the original, whichever line is first', async () => {
    const seeded = `${HERO},7`;
    const header = `${HEADER},seed`;
    const at = async (lines: string[]) => {
      const { summary, rows } = await check(lines, header);
      expect(problemsOf(summary)).toEqual([]);
      expect(rows.map(({ shares }) => shares)).toContain(rows.find(({ id }) => id === 'p1')?.index);
      return fedMedia(rows.find(({ id }) => id === 'film') as Row).map((media) => rows[media.at]?.id);
    };
    const film = `film,${FILM('@p2')},`;
    expect(await at([`p1,${seeded}`, `p2,${seeded}`, film])).toEqual(['p1']);
    expect(await at([`p1,${seeded}`, film, `p2,${seeded}`])).toEqual(['p1']);
    expect(await at([film, `p1,${seeded}`, `p2,${seeded}`])).toEqual(['p1']);
  });

  test('an unknown row: the nearest id is offered', async () => {
    const { summary } = await check([`hero,${HERO}`, `film,${FILM('@heros')}`]);
    expect(problemsOf(summary)).toEqual([
      '3:5 B70 image: @heros refers to a row that the manifest does not have; did you mean @hero?',
    ]);
  });

  test('a row whose line cannot be split into cells is not said to be missing', async () => {
    const { summary } = await check(['hero,svc/image', `edit,${EDIT('@hero')}`]);
    expect(problemsOf(summary)).toEqual([
      expect.stringMatching(/^2:1 B6 /),
      '3:5 B70 image: @hero refers to a row that no readable line has',
    ]);
  });

  test('a circle is named whole', async () => {
    const { summary } = await check([`a,${EDIT('@b')}`, `b,${EDIT('@c')}`, `c,${EDIT('@a')}`, `d,${EDIT('@d')}`]);
    expect(problemsOf(summary)).toEqual([
      '2:1 B71 rows feed each other in a circle: a (line 2) → b (line 3) → c (line 4) → a (line 2)',
      '5:1 B71 rows feed each other in a circle: d (line 5) → d (line 5)',
    ]);
  });

  test('a row with another problem hides neither an unknown row nor a circle', async () => {
    const bad = (image: string) => EDIT(image).replace(',512,512,', ',1e3,512,');
    const { summary } = await check([`e2,${bad('@nope')}`, `a,${bad('@b')}`, `b,${EDIT('@a')}`, `c,${EDIT('@a')}`]);
    expect(problemsOf(summary)).toEqual([
      '2:5 B70 image: @nope refers to a row that the manifest does not have',
      expect.stringMatching(/^2:6 B16 /),
      '3:1 B71 rows feed each other in a circle: a (line 3) → b (line 4) → a (line 3)',
      expect.stringMatching(/^3:6 B16 /),
    ]);
  });

  test('a bad row in the middle of a circle, after its other rows, is named with it', async () => {
    const bad = EDIT('@a').replace(',512,512,', ',x,512,');
    const { summary } = await check([`a,${EDIT('@b')}`, `b,${EDIT('@c')}`, `c,${bad}`]);
    expect(problemsOf(summary)).toEqual([
      '2:1 B71 rows feed each other in a circle: a (line 2) → b (line 3) → c (line 4) → a (line 2)',
      expect.stringMatching(/^4:6 B16 /),
    ]);
  });

  test('the kind that feeds must fit the column', async () => {
    const { summary } = await check([
      `film,${CLIP}`,
      `edit,${EDIT('@film')}`,
      `frame,${EDIT('@film:last')}`,
      `bad,${EDIT('@frame:last')}`,
      `word,${EDIT('@film:middle')}`,
    ]);
    expect(problemsOf(summary)).toEqual([
      '3:5 B72 image: @film (line 2, svc/clip) cannot feed it: it renders a film, the column needs an image',
      '4:5 B72 image: @film:last (line 2, svc/clip) cannot feed it: frames of films are taken by ffmpeg, which is not installed where rows run',
      '5:5 B72 image: @frame:last (line 4, svc/edit) cannot feed it: only a film has frames',
      "6:5 B70 image: '@film:middle' names no frame; a frame is @film:first or @film:last",
    ]);
  });

  test('a size that is asked for and breaks the limit of the column is refused, whichever line is first', async () => {
    const small = 'svc/image,svc-alpha.2-klein-4b,a hero,,32,32,';
    const message = (line: number) =>
      `image: @hero (line ${line}, svc/image) cannot feed it: what it asks for is 32x32, each side at least 64 px`;
    expect(problemsOf((await check([`hero,${small}`, `edit,${EDIT('@hero')}`])).summary)).toEqual([
      `3:5 B72 ${message(2)}`,
    ]);
    expect(problemsOf((await check([`edit,${EDIT('@hero')}`, `hero,${small}`])).summary)).toEqual([
      `2:5 B72 ${message(3)}`,
    ]);
  });

  const COLUMNS = 'id,kind,prompt,duration,ratio,image,video,character_orientation,reference_videos';
  const shot = (id: string, seconds: number) => `${id},vendor-e/video,steps,${seconds},16:9,,,,`;
  const dance = (orientation: string) =>
    `dance,vendor-a/motion-control,,,,https://example.com/a,@steps,${orientation},`;
  const CAST = 'cast,vendor-e/video,they dance,5,,,,,@one|@two';
  const CANNOT = 'cannot feed it: ';
  const LIMIT =
    'for a length that is just the limit: a film may come out a fraction of a second longer, and this row would be refused once that is paid; ask for less';

  test.each([
    ['steps', [shot('steps', 15), dance('image')], '3:7', '@steps (line 2, vendor-e/video)'],
    ['back', [dance('image'), shot('steps', 15)], '2:7', '@steps (line 3, vendor-e/video)'],
  ])(
    'a driver clip that is longer than its orientation allows is refused by what it asks for (%s)',
    async (_, lines, at, who) => {
      const why = 'video is 15.0 s, limit 10 s with character_orientation image';
      expect(problemsOf((await check(lines, COLUMNS, true)).summary)).toEqual([
        `${at} B72 video: ${who} ${CANNOT}${why}`,
      ]);
    },
  );

  test.each([
    ['before', [shot('one', 10), shot('two', 8), CAST], '4:9', [2, 3]],
    ['after', [CAST, shot('one', 10), shot('two', 8)], '2:9', [3, 4]],
    ['around', [shot('one', 10), CAST, shot('two', 8)], '3:9', [2, 4]],
  ])(
    'reference videos that are too long together are refused by what they ask for (%s)',
    async (_, lines, at, named) => {
      const who = `@one (line ${named[0]}, vendor-e/video), @two (line ${named[1]}, vendor-e/video)`;
      expect(problemsOf((await check(lines, COLUMNS, true)).summary)).toEqual([
        `${at} B72 reference_videos: ${who} ${CANNOT}reference_videos have 18 s together, limit 15 s`,
      ]);
    },
  );

  test('what fits together is taken', async () => {
    const { summary } = await check(
      [shot('steps', 15), dance('video'), shot('one', 7), shot('two', 8), CAST],
      COLUMNS,
      true,
    );
    expect(problemsOf(summary)).toEqual([]);
  });

  test.each<[string, string[], string[]]>([
    ['far from the limit', [shot('one', 7), shot('two', 7), CAST], []],
    [
      'just as long as they may be together',
      [CAST, shot('one', 7), shot('two', 8)],
      [`2:9 B72 reference_videos: @one (line 3, vendor-e/video), @two (line 4, vendor-e/video) ask ${LIMIT}`],
    ],
    [
      'one that is just as long as it may be',
      [shot('steps', 10), dance('image')],
      [`3:7 B72 video: @steps (line 2, vendor-e/video) asks ${LIMIT}`],
    ],
  ])(
    'clips "may differ from the request by a fraction of a second" (service document 1, Generated clip result): %s',
    async (_, lines, warnings) => {
      const { problems, warnings: found } = (await check(lines, COLUMNS, true)).summary;
      expect(problems).toEqual([]);
      expect(found.map(({ line, column, code, message }) => `${line}:${column} ${code} ${message}`)).toEqual(warnings);
    },
  );

  test('a chain of 100 rows is taken, one of 101 is not', async () => {
    const chain = (rows: number) =>
      Array.from({ length: rows }, (_, i) => (i === 0 ? `r0,${HERO}` : `r${i},${EDIT(`@r${i - 1}`)}`));
    expect(problemsOf((await check(chain(100))).summary)).toEqual([]);
    const long = '102:5 B71 image: more than 100 rows would feed each other in a chain';
    expect(problemsOf((await check(chain(101))).summary)).toEqual([long]);
    const back = (await check(chain(101).reverse())).summary;
    expect(problemsOf(back)).toEqual(['2:5 B71 image: more than 100 rows would feed each other in a chain']);
  });

  test('lists mix references with other items; a local file of such a name is written ./@name', async () => {
    const { summary, rows } = await check(
      [
        'hero,svc/image,svc-alpha.2-klein-4b,a hero,512,512,,',
        'omni,vendor-a/omni-video,,they meet,,,@hero|https://example.com/a.png,5',
      ],
      'id,kind,model,prompt,width,height,images,duration',
    );
    expect(problemsOf(summary)).toEqual([]);
    expect(rows[1]?.media.images).toEqual([
      { source: 'row', id: 'hero', at: 0 },
      { source: 'url', url: 'https://example.com/a.png' },
    ]);
    const { summary: refused } = await check([`film,${FILM('@my hero.png')}`]);
    expect(problemsOf(refused)).toEqual([
      "2:5 B70 image: '@my hero.png' names no row; a local file of that name is written ./@my hero.png",
    ]);
  });

  test('a column that takes URLs alone is refused where nothing can be uploaded', async () => {
    const { summary } = await check(
      ['film,vendor-a/text2video,she walks,,,,', 'omni,vendor-a/omni-video,they meet,,,@film,5'],
      'id,kind,prompt,width,height,videos,duration',
    );
    expect(problemsOf(summary)).toEqual([
      '3:6 B72 videos: @film (line 2, vendor-a/text2video) cannot feed it: the endpoint takes a public URL only, there is no S3 store to upload to, and the URL of that output may not live long enough (with --response-format b64_json images have none)',
    ]);
  });
});
