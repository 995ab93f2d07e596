/**
 * What lets a row be paid again although an earlier attempt of it may have been billed; `rerun`: a person wants another
 * render of a row that is done.
 */
export type OverrideCause = 'person' | 'always' | 'sync' | 'rerun';
