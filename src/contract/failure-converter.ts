import { DefaultFailureConverter } from '@temporalio/common';

/**
 * Puts messages and stack traces of failures into a payload, so that they are encrypted as all payloads are. The SDK
 * loads it by its path, and the bundle of workflows that goes with keys has it too.
 */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
