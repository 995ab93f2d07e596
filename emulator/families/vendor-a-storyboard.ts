/** Storyboard mode of vendor-a: shots instead of one prompt (service document 2, "Storyboard mode"). */

import { invalid } from '../model/errors.js';
import type { Fields } from './checks.js';

interface StoryboardLimits {
  /** Seconds of one shot, at most. */
  shotSecondsMax: number;
  totalSecondsMax: number;
  shotsMax?: number;
}

/**
 * The sum of the shots' seconds, or undefined where the body is no storyboard. Every rule is checked before billing; in
 * storyboard mode the top-level prompt and duration are ignored, whatever they hold.
 */
export function storyboardSeconds(body: Fields, limits: StoryboardLimits): number | undefined {
  if (body.boolean('multi_shot') !== true) return undefined;
  body.needOneOf('shot_type', ['customize', 'intelligence']);
  const shots = body.objects('multi_prompt') ?? [];
  if (shots.length === 0) throw invalid("'multi_prompt' must hold at least one shot.");
  if (limits.shotsMax !== undefined && shots.length > limits.shotsMax) {
    throw invalid(`'multi_prompt' holds ${shots.length} shots; at most ${limits.shotsMax} are allowed.`);
  }
  const total = shots.reduce((sum, shot, position) => sum + shotSeconds(shot, position, limits.shotSecondsMax), 0);
  if (total > limits.totalSecondsMax) {
    throw invalid(`The shots last ${total} seconds; at most ${limits.totalSecondsMax} are allowed.`);
  }
  return total;
}

function shotSeconds(shot: Fields, position: number, max: number): number {
  const index = shot.integer('index');
  if (index !== position + 1) throw invalid(`'${shot.path('index')}' must be ${position + 1}: sequential from 1.`);
  shot.needString('prompt');
  return secondsText(shot, 'duration', 1, max);
}

/** Whole seconds that the documents want as a string. */
export function secondsText(fields: Fields, name: string, min: number, max: number): number {
  const text = fields.needString(name);
  const seconds = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  if (!(seconds >= min && seconds <= max)) {
    throw invalid(`'${fields.path(name)}' must be whole seconds as a string, ${min} to ${max}; got '${text}'.`);
  }
  return seconds;
}
