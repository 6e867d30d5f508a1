/** The text of an answer, with its length in bytes. Null where it is longer than `maxBytes`. Rejects where the connection fails. */
export async function readContent(
  response: Response,
  maxBytes: number,
): Promise<{ text: string; bytes: number } | null> {
  const length = statedLength(response);
  if (length !== null && length > maxBytes) {
    await response.body?.cancel();
    return null;
  }
  // Takes a quarter less CPU time than reading in chunks, which a body of unknown length needs.
  if (length !== null) return { text: await response.text(), bytes: length };
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) return null;
    chunks.push(chunk);
  }
  // Decoding chunk by chunk takes several times as long.
  return { text: await new Blob(chunks).text(), bytes };
}

/**
 * The length of the body, where its headers state it. Of a compressed body they state only the compressed length, and a body in chunks may
 * have another length than its `content-length`.
 */
function statedLength({ headers }: Response): number | null {
  if (headers.has("content-encoding") || headers.has("transfer-encoding")) return null;
  const length = Number(headers.get("content-length") ?? Number.NaN);
  return Number.isSafeInteger(length) ? length : null;
}
