/** Credentials that a server refused are looked for again: the file that they came from may have newer ones by now. */

type Next<Args, Output> = (args: Args) => Promise<Output>;
type Step = <Args, Output>(next: Next<Args, Output>) => Next<Args, Output>;

/** What is needed of a client of the AWS SDK. */
interface SignedClient {
  middlewareStack: { add(step: Step, options: { step: 'initialize' }): void };
  config: { credentials(options: { forceRefresh: boolean }): Promise<unknown> };
}

/** A HEAD has no body: only its status says that credentials have expired, or are not known. */
const REFUSALS = [400, 401, 403];

/** Gives the client, before each request, with credentials that were looked for since a request was refused. */
export function renewRefused<Client extends SignedClient>(client: Client): () => Promise<Client> {
  let isRefused = false;
  const note: Step = (next) => async (args) => {
    try {
      return await next(args);
    } catch (error) {
      const { httpStatusCode = 0 } = (error as { $metadata?: { httpStatusCode?: number } }).$metadata ?? {};
      if (REFUSALS.includes(httpStatusCode)) isRefused = true;
      throw error;
    }
  };
  client.middlewareStack.add(note, { step: 'initialize' });
  return async () => {
    if (!isRefused) return client;
    isRefused = false;
    // Where none are found, those before are refused once more, with the server's own word.
    await client.config.credentials({ forceRefresh: true }).catch(() => undefined);
    return client;
  };
}
