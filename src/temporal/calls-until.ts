import { InterceptingCall, Metadata, status } from '@grpc/grpc-js';
import { type ConnectionOptions, defaultGrpcRetryOptions, makeGrpcRetryInterceptor } from '@temporalio/client';

type Interceptors = NonNullable<ConnectionOptions['interceptors']>;
type Call = ConstructorParameters<typeof InterceptingCall>[0];

/**
 * How a client's calls are made: tried again as the SDK does by default, and failed once the connection is closed. The
 * SDK's own retry would call into the closed channel from a timer, an error that nobody can catch and that ends the
 * process.
 */
export function callsUntil(isClosed: () => boolean): Interceptors {
  return [
    makeGrpcRetryInterceptor(defaultGrpcRetryOptions()),
    (options, nextCall) => new InterceptingCall(isClosed() ? cancelledCall : nextCall(options)),
  ];
}

/** A call that was never made. `CANCELLED` is not tried again. */
const cancelledCall: Call = {
  start: (_, listener) => {
    queueMicrotask(() => {
      const details = 'the connection is closed';
      listener?.onReceiveMessage?.(null);
      listener?.onReceiveStatus?.({ code: status.CANCELLED, details, metadata: new Metadata() });
    });
  },
  sendMessage: () => undefined,
  sendMessageWithContext: () => undefined,
  startRead: () => undefined,
  halfClose: () => undefined,
  cancelWithStatus: () => undefined,
  getPeer: () => 'closed',
  getAuthContext: () => null,
};
