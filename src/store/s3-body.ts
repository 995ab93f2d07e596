import type { Readable } from 'node:stream';

/** How the body of an upload is sent, as steps for one command of the AWS SDK. */

interface Sent {
  request?: unknown;
}
type Next<Args, Output> = (args: Args) => Promise<Output>;

/** The signature covers the sha256 (base64) of the body, which is known already: without this the SDK computes it again. */
export function knownHash(sha256: string) {
  const hex = Buffer.from(sha256, 'base64').toString('hex');
  return <Args extends Sent, Output>(next: Next<Args, Output>): Next<Args, Output> =>
    (args) => {
      Object.assign((args.request as { headers: object }).headers, { 'x-amz-content-sha256': hex });
      return next(args);
    };
}

/**
 * Each try opens the body anew: the SDK alone sends a stream once and gives up at the first fault. The server is asked
 * whether it wants the body at all, so that a refusal arrives as an answer and not as a connection that breaks.
 */
export function freshBody(open: () => Readable) {
  return <Args extends Sent, Output>(next: Next<Args, Output>): Next<Args, Output> =>
    async (args) => {
      const { request } = args as { request: { headers: object } };
      const body = open();
      const failed = new Promise<never>((_, reject) => body.once('error', reject));
      const headers = { ...request.headers, Expect: '100-continue' };
      const whole: object = Object.create(Object.getPrototypeOf(request) as object);
      try {
        return await Promise.race([
          next({ ...args, request: Object.assign(whole, request, { headers, body }) }),
          failed,
        ]);
      } finally {
        body.destroy();
      }
    };
}
