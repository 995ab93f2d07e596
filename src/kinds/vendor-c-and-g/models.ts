import type { Check, DraftRow, FieldTree } from '../rule.js';
import { countOf, has, orList, settled } from '../rule-helpers.js';

/** What vendor-c and vendor-g share: one route, one body layout (service document 2, Shared route). */

export const SUBMIT_PATH = '/v1/vendor-c/services/aigc/video-generation/video-synthesis';

/** What one model of the shared route offers. */
export interface SharedModel {
  resolutions: readonly string[];
  secondsMin: number;
  secondsMax: number;
  referencesMax: number;
  /** The one task that the model id is for; absent where one id serves all. */
  task?: 't2v' | 'i2v' | 'r2v';
  drivingAudio?: boolean;
}

export type SharedModels = Readonly<Record<string, SharedModel>>;

export const sharedRouteFields: FieldTree = {
  model: true,
  input: settled('prompt', 'media'),
  parameters: settled('resolution', 'duration', 'watermark'),
};

export function modelOf(models: SharedModels, row: DraftRow): SharedModel | undefined {
  return Object.hasOwn(models, row.model) ? models[row.model] : undefined;
}

const FRAME_COLUMNS = ['first_frame', 'last_frame', 'driving_audio'] as const;

/** A first frame and a reference set cannot be in the same body. */
export const framesOrReferences: Check = {
  rule: 'first frame and references cannot be mixed',
  check(row, report) {
    const frame = FRAME_COLUMNS.find((name) => has(row, name));
    if (frame === undefined || !has(row, 'reference_images')) return;
    report.problem(
      row,
      'B35',
      'reference_images',
      `${frame} and reference_images: first frame and references cannot be mixed`,
    );
  },
};

/** The model's own number of references. */
export function referenceCount(models: SharedModels): Check {
  return {
    rule: `reference_images: ${perModel(models, (model) => `at most ${model.referencesMax}`)}`,
    check(row, report) {
      const model = modelOf(models, row);
      const count = countOf(row, 'reference_images');
      if (model === undefined || count <= model.referencesMax) return;
      const message = `reference_images: at most ${model.referencesMax} references on ${row.model}, got ${count}`;
      report.problem(row, 'B36', 'reference_images', message);
    },
  };
}

/** Model ids that end in -t2v, -i2v or -r2v are for that task alone. */
export function taskOfModel(models: SharedModels): Check {
  return {
    rule: '…-t2v takes no media, …-i2v needs first_frame, …-r2v needs reference_images',
    check(row, report) {
      const task = modelOf(models, row)?.task;
      if (task === undefined) return;
      const wanted = task === 'i2v' ? 'first_frame' : task === 'r2v' ? 'reference_images' : undefined;
      if (wanted !== undefined && !has(row, wanted)) {
        report.problem(row, 'B59', wanted, `${row.model} needs ${wanted}`);
      }
      const taken = task === 'i2v' ? FRAME_COLUMNS : task === 'r2v' ? ['reference_images'] : [];
      for (const name of [...FRAME_COLUMNS, 'reference_images']) {
        if (!has(row, name) || (taken as readonly string[]).includes(name)) continue;
        const hint = name === 'reference_images' ? '…-r2v' : '…-i2v';
        report.problem(row, 'B25', name, `${row.model} does not take '${name}'; ${hint} does`);
      }
    },
  };
}

/** `480P, 720P or 1080P on vendor-c-3.0-video, …; …`, models with the same facts together. */
export function perModel(models: SharedModels, fact: (model: SharedModel) => string): string {
  const byFact = new Map<string, string[]>();
  for (const [id, model] of Object.entries(models)) {
    byFact.set(fact(model), [...(byFact.get(fact(model)) ?? []), id]);
  }
  return [...byFact].map(([text, ids]) => `${text} on ${ids.join(', ')}`).join('; ');
}

export function resolutionsText(model: SharedModel): string {
  return orList(model.resolutions);
}
