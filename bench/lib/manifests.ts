/** A manifest of plain image rows, as CSV text; those of another `series` are other pictures. */
export function imageManifest(rows: number, series = 'study'): string {
  const lines = Array.from(
    { length: rows },
    (_, i) =>
      `row-${String(i).padStart(6, '0')},svc/image,svc-alpha.2-klein-4b,"a harbour at dawn, ${series} ${i}",320,200`,
  );
  return `id,kind,model,prompt,width,height\n${lines.join('\n')}\n`;
}

/** A manifest of films from text, which are polled, as CSV text. */
export function filmManifest(rows: number): string {
  const lines = Array.from({ length: rows }, (_, i) => `row-${i},vendor-e/video,"a fox crosses road ${i}",4,16:9`);
  return `id,kind,prompt,duration,ratio\n${lines.join('\n')}\n`;
}

/** The files that the rows of a mixed manifest name: `media/0.png` and so on beside it. */
export const MEDIA_FILES = 2_000;

/** Rows of eight kinds, six of which take a local image. */
const MIXED: readonly Readonly<Record<string, string>>[] = [
  { kind: 'svc/image', model: 'svc-alpha.2-klein-4b', prompt: 'a harbour at dawn', width: '320', height: '200' },
  { kind: 'svc/edit', model: 'svc-beta-image-edit-2511', image: '@', prompt: 'paint it', width: '64', height: '64' },
  {
    kind: 'svc/animation',
    model: 'svc-epsilon-2.5-video',
    image: '@',
    prompt: 'mist drifts',
    width: '1280',
    height: '720',
  },
  { kind: 'vendor-a/image2video', image: '@', prompt: 'the boat drifts left', duration: '5' },
  { kind: 'vendor-a/omni-video', images: '@|@', prompt: '<<<image_1>>> meets <<<image_2>>>' },
  { kind: 'vendor-b/avatar', image: '@', script: 'Welcome to the show.', voice_id: 'v-amber-en' },
  { kind: 'vendor-f/video', model: 'vendor-f-3.1-generate-preview', image: '@', prompt: 'waves', duration: '4' },
  { kind: 'vendor-e/video', prompt: 'a fox crosses a road', duration: '4', ratio: '16:9' },
];
const MIXED_COLUMNS = [...new Set(MIXED.flatMap((row) => Object.keys(row)))];

/** A manifest whose rows take turns over kinds and media files, as CSV text. */
export function mixedManifest(rows: number): string {
  let file = 0;
  const nextFile = (): string => {
    file = (file + 1) % MEDIA_FILES;
    return `media/${file}.png`;
  };
  const lines = Array.from({ length: rows }, (_, at) => {
    const row = MIXED[at % MIXED.length] ?? {};
    const cells = MIXED_COLUMNS.map((name) => (row[name] ?? '').replaceAll('@', nextFile));
    return [`row-${at}`, ...cells].join(',');
  });
  return `${['id', ...MIXED_COLUMNS].join(',')}\n${lines.join('\n')}\n`;
}

const LINKS: Readonly<Record<string, { model: string; size: string; duration: string; output: string }>> = {
  'svc/image': { model: 'svc-alpha.2-klein-4b', size: '320,320', duration: '', output: '' },
  'svc/edit': { model: 'svc-beta-image-edit-2511', size: '320,320', duration: '', output: '' },
  'vendor-a/image2video': { model: '', size: ',', duration: '5', output: ':last' },
};

/** What feeds a row: the one before, the file `still.png`, or a URL. */
export type Feed = 'row' | 'file' | 'url';

/** A manifest of rows of these kinds in turn, all but the first of which are fed. */
export function chainManifest(rows: number, kinds: readonly (keyof typeof LINKS)[], feed: Feed): string {
  const given = { file: 'still.png', url: 'https://media.example.com/still.png' };
  const lines = Array.from({ length: rows }, (_, at) => {
    const kind = kinds[at % kinds.length] ?? '';
    const before = LINKS[kinds[(at % kinds.length) - 1] ?? ''];
    const image = before === undefined ? '' : feed === 'row' ? `@row-${at - 1}${before.output}` : given[feed];
    const { model = '', size = ',', duration = '' } = LINKS[kind] ?? {};
    return `row-${at},${kind},${model},"a harbour at dawn, view ${at}",${size},${image},${duration}`;
  });
  return `id,kind,model,prompt,width,height,image,duration\n${lines.join('\n')}\n`;
}
