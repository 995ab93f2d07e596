// What a Temporal server really stored of a run.
import type { Client } from '@temporalio/client';

export interface StoredHistory {
  workflowId: string;
  runId: string;
  type: string;
  events: number;
  /** The largest payload of any event, bytes. */
  largestPayload: number;
  /** Everything in it, as text, for searching. */
  text: string;
  /** As the replayer takes it. */
  history: Awaited<ReturnType<ReturnType<Client['workflow']['getHandle']>['fetchHistory']>>;
}

/** Every stored history of the namespace, or those that a query names. */
export async function storedHistories(client: Client, query?: string): Promise<StoredHistory[]> {
  const found: StoredHistory[] = [];
  for await (const { workflowId, runId, type } of client.workflow.list(query === undefined ? {} : { query })) {
    const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    const payloads = payloadsIn(history);
    found.push({
      workflowId,
      runId,
      type,
      events: history.events?.length ?? 0,
      largestPayload: Math.max(0, ...payloads.map((data) => data.length)),
      text: payloads.map((data) => Buffer.from(data).toString('utf8')).join('\n') + failureTexts(history),
      history,
    });
  }
  return found;
}

function payloadsIn(value: unknown): Uint8Array[] {
  if (value === null || typeof value !== 'object' || value instanceof Uint8Array) return [];
  const found: Uint8Array[] = [];
  const data = (value as { data?: unknown }).data;
  if (data instanceof Uint8Array && 'metadata' in value) found.push(data);
  for (const part of Object.values(value)) found.push(...payloadsIn(part));
  return found;
}

/** Failure messages and stack traces stand in histories as plain text. */
function failureTexts(value: unknown): string {
  if (value === null || typeof value !== 'object' || value instanceof Uint8Array) return '';
  const { message, stackTrace } = value as { message?: unknown; stackTrace?: unknown };
  const own = [message, stackTrace].filter((text) => typeof text === 'string').join('\n');
  return own + Object.values(value).map(failureTexts).join('');
}
