/** The JSON value of an answer's body; undefined when it is not UTF-8 or not JSON. */
export function readJsonBody(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}
