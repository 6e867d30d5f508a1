import { invalidInput, ServiceError } from "@dueday/core/errors";
import type { Exchange } from "./exchange";

type Body = Pick<Exchange, "request" | "bodyLimit">;

/** Thrown when the client ends the connection during its upload: no answer can be received, and it is not a fault of the service. */
export class ClientGone extends Error {
  override readonly name = "ClientGone";
}

const JSON_TYPE = /^application\/json(?:\s*;\s*charset="?utf-8"?)?\s*$/i;

/**
 * Reads the JSON object in a request's body; an empty body is an empty object.
 *
 * @throws ServiceError UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE (before reading where the length is declared) or VALIDATION_ERROR;
 * ClientGone
 */
export async function readBody(body: Body): Promise<Record<string, unknown>> {
  const value = await readJson(body);
  if (value === undefined) return {};
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  throw invalidInput([{ code: "WRONG_TYPE", message: "The body must be a JSON object" }]);
}

/**
 * Reads the JSON in a request's body; an empty body is undefined.
 *
 * @throws ServiceError as `readBody` does.
 */
export async function readJson({ request, bodyLimit }: Body): Promise<unknown> {
  const type = request.headers.get("content-type");
  if (type !== null && !JSON_TYPE.test(type)) throw unsupported("Send the body as Content-Type: application/json");
  const encoding = request.headers.get("content-encoding");
  if (encoding !== null && encoding !== "identity") throw unsupported("Send the body without Content-Encoding");
  if (Number(request.headers.get("content-length") ?? 0) > bodyLimit) throw tooLarge(bodyLimit);
  const bytes = await readBytes(request, bodyLimit);
  if (bytes.length === 0) return undefined;
  if (type === null) throw unsupported("Send the body as Content-Type: application/json");
  return parse(bytes);
}

/** Counts while it reads, because a chunked body declares no length. */
async function readBytes(request: Request, limitBytes: number): Promise<Uint8Array> {
  if (request.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of request.body) {
      length += chunk.length;
      if (length > limitBytes) throw tooLarge(limitBytes);
      chunks.push(chunk);
    }
  } catch (error) {
    if (request.signal.aborted) throw new ClientGone("the client ended the connection during its upload");
    throw error;
  }
  return Buffer.concat(chunks);
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    // The parser's own message repeats parts of the body.
    throw invalidInput([{ code: "INVALID_JSON", message: "The body must be valid JSON in UTF-8" }]);
  }
}

function unsupported(message: string): ServiceError {
  return new ServiceError("UNSUPPORTED_MEDIA_TYPE", message);
}

function tooLarge(limitBytes: number): ServiceError {
  return new ServiceError(
    "PAYLOAD_TOO_LARGE",
    `The body is larger than the ${limitBytes / 1024} KiB that this path accepts`,
  );
}
