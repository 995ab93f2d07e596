/** Storyboard mode: several shots in one clip (service document 2, Storyboard mode). */
import { isJsonObject, type JsonObject } from '../../domain/json.js';
import type { Row } from '../../domain/row.js';
import { asText, fields } from '../wire.js';

/**
 * The storyboard fields of a row, none where it has neither shots nor a shot type. Shots are numbered from 1 in the
 * order of the cell; their durations go out as strings.
 */
export function storyboardOf(row: Row): JsonObject {
  const { shots, shot_type: shotType } = row.cells;
  if (shots === undefined && shotType === undefined) return {};
  const shotList = Array.isArray(shots) ? shots.filter(isJsonObject) : undefined;
  return fields({
    multi_shot: true,
    shot_type: shotType,
    multi_prompt: shotList?.map((shot, position) =>
      fields({ index: position + 1, prompt: shot.prompt, duration: asText(shot.duration) }),
    ),
  });
}
