/** Whether a Temporal server answers, asked without the SDK: its client would take 40 MB of a process that lives for weeks, and a second of each start. */

import { connect, constants, type IncomingHttpHeaders } from 'node:http2';

const CALL = {
  [constants.HTTP2_HEADER_METHOD]: 'POST',
  [constants.HTTP2_HEADER_PATH]: '/temporal.api.workflowservice.v1.WorkflowService/DescribeNamespace',
  [constants.HTTP2_HEADER_CONTENT_TYPE]: 'application/grpc',
  [constants.HTTP2_HEADER_TE]: 'trailers',
};
const WITHIN_MS = 5_000;

/** Whether the server at `host:port` knows the namespace; false for whatever goes wrong. */
export function answersFor(namespace: string, address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const session = connect(`http://${address}`);
    const end = (answers: boolean): void => {
      session.destroy();
      resolve(answers);
    };
    session.once('error', () => end(false));
    session.setTimeout(WITHIN_MS, () => end(false));
    const call = session.request(CALL);
    const read = ({ 'grpc-status': status }: IncomingHttpHeaders): void => {
      if (status !== undefined) end(status === '0');
    };
    // A failure without a body tells its status in the headers, everything else in the trailers.
    call.once('response', read);
    call.once('trailers', read);
    call.once('error', () => end(false));
    call.once('close', () => end(false));
    call.resume();
    call.end(framed(namespace));
  });
}

/** The request as gRPC sends it: not compressed, four bytes of length, then field 1, a string of less than 128 bytes. */
function framed(namespace: string): Buffer {
  const text = Buffer.from(namespace);
  return Buffer.concat([Buffer.from([0, 0, 0, 0, text.length + 2, 0x0a, text.length]), text]);
}
