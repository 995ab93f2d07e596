/**
 * Why a download ended without the file. `expired` = the URL does not give it any more (403, 404, 410); `short` = the
 * body ended early, changed, or had no bytes; `http` = another status; the rest say themselves.
 */
export type DownloadReason =
  | 'expired'
  | 'unreachable'
  | 'short'
  | 'too_large'
  | 'too_slow'
  | 'forbidden_address'
  | 'not_media'
  | 'http';

/** The message names the host at most: the rest of an output URL is a key to the file. */
export class DownloadError extends Error {
  override readonly name = 'DownloadError';
  constructor(
    readonly reason: DownloadReason,
    message: string,
    readonly status?: number,
  ) {
    super(message);
  }
}

/** Reason `short`, but going on within the same call cannot help: the file is another one, or has no bytes. */
export class WrongFileError extends DownloadError {
  constructor(message: string) {
    super('short', message);
  }
}
