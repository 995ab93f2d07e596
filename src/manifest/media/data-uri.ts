/** The bytes of a `data:` URI, or why they cannot be had. */
export type DataUri = { ok: true; bytes: Buffer } | { ok: false; message: string };

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Reads a base64 `data:` URI; the declared type is not trusted, since the bytes tell it. */
export function readDataUri(name: string, text: string): DataUri {
  const comma = text.indexOf(',');
  const head = comma === -1 ? '' : text.slice(5, comma);
  if (/;base64$/i.test(text)) {
    return { ok: false, message: `${name} is a data: URI that ends before its comma; quote the cell` };
  }
  if (comma === -1 || !/^data:/i.test(text) || !/;base64$/i.test(head)) {
    return { ok: false, message: `${name} is a data: URI without base64 content` };
  }
  const content = text.slice(comma + 1);
  const whole = content.length % 4 === 0 || !content.includes('=');
  if (content === '' || content.length % 4 === 1 || !whole || !BASE64.test(content)) {
    return { ok: false, message: `${name} is not valid base64` };
  }
  return { ok: true, bytes: Buffer.from(content, 'base64') };
}
