import { CancelledFailure } from '@temporalio/common';
import { isCancelled, scopeOf, type WorkflowRun } from './run.js';

/** A promise that ends early when the scope that it was made in is cancelled. */
export function waiting<T>(
  run: WorkflowRun,
  begin: (resolve: (value: T) => void, reject: (failure: Error) => void) => () => void,
): Promise<T> {
  const scope = scopeOf(run);
  if (isCancelled(scope)) return Promise.reject(new CancelledFailure('the scope was cancelled'));
  return new Promise<T>((resolve, reject) => {
    const cancel = (failure: CancelledFailure): void => {
      stop();
      reject(failure);
    };
    const done = (): void => {
      scope.onCancel.delete(cancel);
    };
    if (scope.isCancellable) scope.onCancel.add(cancel);
    const stop = begin(
      (value) => {
        done();
        resolve(value);
      },
      (failure) => {
        done();
        reject(failure);
      },
    );
  });
}
