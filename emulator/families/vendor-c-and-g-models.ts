/** The models of the shared route: resolutions, seconds, references, tasks (service document 2, "Shared route"). */

type Resolution = '480P' | '720P' | '1080P';

export interface SharedModel {
  id: string;
  family: 'vendor-c' | 'vendor-g';
  /** The one task of the id; `any` where one id serves all tasks. */
  task: 't2v' | 'i2v' | 'r2v' | 'any';
  resolutions: readonly Resolution[];
  secondsMin: number;
  secondsMax: number;
  referencesMax: number;
  takesLastFrame: boolean;
  takesDrivingAudio: boolean;
}

const ALL: readonly Resolution[] = ['480P', '720P', '1080P'];
const UPPER: readonly Resolution[] = ['720P', '1080P'];

type Limits = Omit<SharedModel, 'id' | 'task' | 'takesDrivingAudio'>;

function oneForAll(id: string, limits: Limits): SharedModel {
  return { ...limits, id, task: 'any', takesDrivingAudio: false };
}

function onePerTask(prefix: string, limits: Limits): SharedModel[] {
  return (['t2v', 'i2v', 'r2v'] as const).map((task) => ({
    ...limits,
    id: `${prefix}-${task}`,
    task,
    takesDrivingAudio: prefix === 'vendor-c-2.7' && task === 'i2v',
  }));
}

const C3: Limits = {
  family: 'vendor-c',
  resolutions: ALL,
  secondsMin: 2,
  secondsMax: 30,
  referencesMax: 10,
  takesLastFrame: true,
};
const C27: Limits = { ...C3, resolutions: UPPER, secondsMax: 15, referencesMax: 5 };
const G11: Limits = {
  family: 'vendor-g',
  resolutions: ALL,
  secondsMin: 3,
  secondsMax: 15,
  referencesMax: 9,
  takesLastFrame: false,
};
const G10: Limits = { ...G11, resolutions: UPPER };

export const SHARED_MODELS: readonly SharedModel[] = [
  oneForAll('vendor-c-3.0-video', C3),
  oneForAll('vendor-c-3.0-video-prime', C3),
  ...onePerTask('vendor-c-2.7', C27),
  ...onePerTask('vendor-g-1.1', G11),
  ...onePerTask('vendor-g-1.0', G10),
];
