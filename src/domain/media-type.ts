/** What a medium is to a rule. */
export type MediaSort = 'image' | 'video' | 'audio';

/** What a file name's extension says of a medium: enough to find a wrong sort before anything is fetched. */
const TYPE_BY_EXTENSION: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  bmp: 'image/bmp',
  gif: 'image/gif',
  tif: 'image/tiff',
  tiff: 'image/tiff',
  heic: 'image/heic',
  heif: 'image/heif',
  avif: 'image/avif',
  svg: 'image/svg+xml',
  mp4: 'video/mp4',
  m4v: 'video/mp4',
  mov: 'video/quicktime',
  webm: 'video/webm',
  mkv: 'video/matroska',
  avi: 'video/x-msvideo',
  wav: 'audio/wav',
  mp3: 'audio/mpeg',
  m4a: 'audio/x-m4a',
  aac: 'audio/aac',
  ogg: 'audio/ogg',
  opus: 'audio/ogg',
  flac: 'audio/flac',
};

const NAMES: Readonly<Record<string, string>> = {
  'image/jpeg': 'JPEG',
  'image/quicktime': 'MOV',
  'video/quicktime': 'MOV',
  'audio/mpeg': 'MP3',
  'audio/wav': 'WAV',
  'image/svg+xml': 'SVG',
  'application/octet-stream': 'of no known type',
};

/** The media type that a path's extension stands for; undefined when it says nothing. */
export function typeByName(path: string): string | undefined {
  const extension = /\.([A-Za-z0-9]{2,4})$/.exec(path)?.[1]?.toLowerCase();
  return extension === undefined || !Object.hasOwn(TYPE_BY_EXTENSION, extension)
    ? undefined
    : TYPE_BY_EXTENSION[extension];
}

/** image, video, audio or other, from a media type. */
export function sortOfType(mediaType: string): MediaSort | 'other' {
  const sort = mediaType.slice(0, mediaType.indexOf('/'));
  return sort === 'image' || sort === 'video' || sort === 'audio' ? sort : 'other';
}

/** A media type as people say it: `PNG`, `MP4`. */
export function typeName(mediaType: string): string {
  return NAMES[mediaType] ?? mediaType.slice(mediaType.indexOf('/') + 1).toUpperCase();
}

/** `PNG, JPEG or WEBP`, or `any image`. */
export function typeNames(types: readonly string[] | undefined, sort: MediaSort): string {
  if (types === undefined) return `any ${sort}`;
  const names = types.map(typeName);
  return names.length === 1 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names[names.length - 1]}`;
}

/** What a file of each sort that an output can be is named: its real extension comes from its bytes. */
export const OUTPUT_EXTENSIONS = {
  image: ['png', 'jpg', 'webp', 'gif', 'avif', 'heic', 'bmp', 'tiff', 'jxl'],
  video: ['mp4', 'mov', 'webm', 'mkv'],
  audio: ['m4a', 'wav', 'mp3'],
  json: ['json'],
} as const;

export type OutputExtension = (typeof OUTPUT_EXTENSIONS)[keyof typeof OUTPUT_EXTENSIONS][number];

const OUTPUT_NAME = new RegExp(`^(.+)\\.(${Object.values(OUTPUT_EXTENSIONS).flat().join('|')})$`);

/** A name in lower case that an output can have, apart from its extension; undefined for any other. */
export function splitOutputName(name: string): { base: string; extension: OutputExtension } | undefined {
  const [, base, extension] = OUTPUT_NAME.exec(name) ?? [];
  return base === undefined ? undefined : { base, extension: extension as OutputExtension };
}

/** What the bytes of a medium show. Absent facts could not be read. */
export interface MediaFacts {
  sort: MediaSort | 'other';
  /** As the first bytes say, not the name: `image/png`. */
  mediaType: string;
  bytes: number;
  sha256: string;
  width?: number;
  height?: number;
  /** True when an image can have transparent pixels. */
  transparent?: boolean;
  seconds?: number;
}
