import { isJsonObject, type Json } from '../../domain/json.js';
import type { Check, Column, DraftRow, Report } from '../rule.js';
import { has, listOf } from '../rule-helpers.js';

/** Storyboard mode of vendor-a text2video and omni-video: service document 2, Multi-mode video. */

export interface StoryboardLimits {
  /** As the messages name the task. */
  task: string;
  shotsMax?: number;
  shotSecondsMax: number;
  totalSecondsMax: number;
}

export const storyboardColumns: readonly Column[] = [
  {
    name: 'shot_type',
    type: 'choice',
    choices: ['customize', 'intelligence'],
    code: 'B32',
    help: 'Required with shots.',
  },
  {
    name: 'shots',
    type: 'json',
    shape: 'list',
    code: 'B32',
    help: 'Storyboard: [{"prompt":"…","duration":3}]; the shots are numbered by callsheet.',
  },
];

/** Every rule of a storyboard; good shots get their durations as numbers. */
export function storyboardCheck(limits: StoryboardLimits): Check {
  const { task, shotsMax, shotSecondsMax, totalSecondsMax } = limits;
  const many = shotsMax === undefined ? '' : `${shotsMax} and `;
  const atMost = `at most ${many}${totalSecondsMax} s on ${task}`;
  return {
    rule: `shots: ${atMost}, each 1-${shotSecondsMax} s with its own prompt; they need shot_type, and prompt and duration are then ignored`,
    check(row, report) {
      if (has(row, 'shots') !== has(row, 'shot_type')) {
        const message = has(row, 'shots') ? 'shots need shot_type: customize or intelligence' : 'shot_type needs shots';
        report.problem(row, 'B32', has(row, 'shots') ? 'shots' : 'shot_type', message);
      }
      const shots = listOf(row, 'shots');
      if (shots === undefined) return;
      warnIgnored(row, report);
      const read = readShots(shots, shotSecondsMax);
      if (typeof read === 'string') return report.problem(row, 'B32', 'shots', read);
      const total = read.reduce((sum, shot) => sum + shot.duration, 0);
      if (shotsMax !== undefined && read.length > shotsMax) {
        report.problem(row, 'B32', 'shots', `shots: ${atMost}, got ${read.length} shots`);
      } else if (total > totalSecondsMax) {
        report.problem(row, 'B32', 'shots', `shots: ${atMost}, got ${total} s`);
      }
      row.cells.shots = read.map((shot): Json => ({ ...shot }));
    },
  };
}

function warnIgnored(row: DraftRow, report: Report): void {
  for (const name of ['prompt', 'duration']) {
    if (has(row, name)) report.warning(row, 'B32', name, `${name} is ignored in storyboard mode`);
  }
}

interface Shot {
  prompt: string;
  duration: number;
}

function readShots(shots: Json[], secondsMax: number): Shot[] | string {
  if (shots.length === 0) return 'shots is empty';
  const read: Shot[] = [];
  for (const [position, shot] of shots.entries()) {
    const name = `shot ${position + 1}`;
    if (!isJsonObject(shot)) return `shots: ${name} must be {"prompt":"…","duration":3}`;
    const { prompt, duration, index, ...other } = shot;
    const [stranger] = Object.keys(other);
    if (stranger !== undefined) return `shots: ${name} has an unknown field; a shot has prompt and duration`;
    if (index !== undefined && index !== position + 1) {
      return `shots: the index of ${name} must be ${position + 1}: shots are numbered from 1 in their order, here by callsheet`;
    }
    if (typeof prompt !== 'string' || prompt.trim() === '') return `shots: ${name} has an empty prompt`;
    const seconds = typeof duration === 'string' && /^[1-9][0-9]?$/.test(duration) ? Number(duration) : duration;
    if (typeof seconds !== 'number' || !Number.isInteger(seconds) || seconds < 1 || seconds > secondsMax) {
      return `shots: the duration of ${name} must be a whole number, 1-${secondsMax} s`;
    }
    read.push({ prompt, duration: seconds });
  }
  return read;
}
