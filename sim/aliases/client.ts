/** What the product's messenger uses of `@temporalio/client`. */
export class WorkflowNotFoundError extends Error {
  override readonly name = 'WorkflowNotFoundError';
}
