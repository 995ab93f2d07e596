import { type MediaFacts, type MediaSort, sortOfType, typeName, typeNames } from '../../domain/media-type.js';
import type { ProblemCode } from '../../domain/raw-row.js';
import type { Media } from '../../domain/row.js';
import { megabytes, shownNumber } from '../../domain/shown-number.js';
import type { MediaRule } from '../../kinds/rule.js';

/** The sentence and code of a broken media limit. */
export interface MediaFlaw {
  code: ProblemCode;
  message: string;
}

/** Sort and type, by name or by bytes. */
export function typeFlaw(
  name: string,
  what: string,
  mediaType: string,
  rule: MediaRule,
  wanted: MediaSort,
): MediaFlaw | undefined {
  const sort = sortOfType(mediaType);
  if (sort !== wanted) {
    const article = wanted === 'video' ? 'a' : 'an';
    const more = rule.otherSorts === 'ignored' ? '; the service would ignore this silently' : '';
    return { code: 'B40', message: `${name} needs ${article} ${wanted}, ${what} is ${typeName(mediaType)}${more}` };
  }
  const types = rule.sort === wanted ? rule.types : undefined;
  if (types === undefined || types.includes(mediaType)) return undefined;
  return { code: 'B45', message: `${name}: ${what} is ${typeName(mediaType)}, needs ${typeNames(types, wanted)}` };
}

/** The size in bytes, known before the file is read. */
export function bytesFlaw(name: string, bytes: number, rule: MediaRule): MediaFlaw | undefined {
  const { maxBytes, belowBytes } = rule;
  if (bytes === 0) return { code: 'B45', message: `${name} is empty (0 bytes)` };
  if (maxBytes !== undefined && bytes > maxBytes) {
    return { code: 'B45', message: `${name} is ${megabytes(bytes, maxBytes)}, limit ${megabytes(maxBytes, bytes)}` };
  }
  if (belowBytes !== undefined && bytes >= belowBytes) {
    return {
      code: 'B45',
      message: `${name} is ${megabytes(bytes, belowBytes)}, must be under ${megabytes(belowBytes, bytes)}`,
    };
  }
  return undefined;
}

/** Every limit that the bytes themselves show: type, pixels, ratio, transparency, seconds. */
export function factsFlaw(name: string, facts: MediaFacts, rule: MediaRule, wanted: MediaSort): MediaFlaw | undefined {
  const flaw = typeFlaw(name, 'the file', facts.mediaType, rule, wanted);
  if (flaw !== undefined || rule.sort !== wanted) return flaw;
  const message = wanted === 'image' ? imageFlaw(name, facts, rule) : secondsFlaw(name, facts, rule);
  return message === undefined ? undefined : { code: 'B45', message };
}

/** The limits that the beginning of a file shows: its type, and an image's pixels where they stand there. */
export function headFlaw(name: string, facts: MediaFacts, rule: MediaRule, wanted: MediaSort): MediaFlaw | undefined {
  const flaw = typeFlaw(name, 'the file', facts.mediaType, rule, wanted);
  if (flaw !== undefined || rule.sort !== wanted || wanted !== 'image' || facts.width === undefined) return flaw;
  const message = imageFlaw(name, facts, rule);
  return message === undefined ? undefined : { code: 'B45', message };
}

function imageFlaw(name: string, facts: MediaFacts, rule: MediaRule): string | undefined {
  const { width, height } = facts;
  if (width === undefined || height === undefined || width < 1 || height < 1) {
    return `${name}: the pixel size of the file cannot be read; is it damaged?`;
  }
  const [short, long] = [Math.min(width, height), Math.max(width, height)];
  const size = `${name} is ${width}x${height}`;
  if (rule.minSide !== undefined && short < rule.minSide) return `${size}, each side at least ${rule.minSide} px`;
  if (rule.maxSide !== undefined && long > rule.maxSide) return `${size}, each side at most ${rule.maxSide} px`;
  if (rule.minShortSide !== undefined && short < rule.minShortSide) {
    return `${size}, the short side at least ${rule.minShortSide} px`;
  }
  if (rule.maxRatio !== undefined && long > short * rule.maxRatio) {
    return `${size}, aspect ratio at most ${rule.maxRatio}:1 either way`;
  }
  if (rule.widestRatio !== undefined && width > height * rule.widestRatio) {
    return `${size}, aspect ratio no wider than ${rule.widestRatio}:1`;
  }
  if (rule.transparency === 'refused' && facts.transparent === true) {
    return `${name} has a transparent channel, which is not taken`;
  }
  return undefined;
}

function secondsFlaw(name: string, facts: MediaFacts, rule: MediaRule): string | undefined {
  const { minSeconds, maxSeconds } = rule;
  if (minSeconds === undefined || maxSeconds === undefined) return undefined;
  if (facts.seconds === undefined) return `${name}: the length of the file cannot be read; is it damaged?`;
  if (facts.seconds >= minSeconds && facts.seconds <= maxSeconds) return undefined;
  const limit = facts.seconds < minSeconds ? minSeconds : maxSeconds;
  return `${name} is ${shownNumber(facts.seconds, limit, 2)} s, must be ${minSeconds}-${maxSeconds} s`;
}

/** One media item: good with what is known of it, or what is wrong. */
export type MediaItem = { ok: true; media: Media; facts?: MediaFacts } | ({ ok: false } & MediaFlaw);
