/** Thrown when an input that `run` copied into the home is not there any more. */
export class InputMissing extends Error {
  override readonly name = 'InputMissing';
}

/** Thrown when an input must be fetched or uploaded before the submit can name it. */
export class InputNotFetched extends Error {
  override readonly name = 'InputNotFetched';
}
