/** A response of an endpoint, its body as far as it is read. */
export type EndpointResponse = { status: number; body: Buffer };

/** The response is not HTTP/1.0 or HTTP/1.1, is larger than allowed, or ends too early. */
export class ResponseError extends Error {
  override readonly name = "ResponseError";

  constructor(readonly code: "RESPONSE" | "CONNECTION") {
    super(code);
  }
}

/** Reads one response from the bytes of a connection. */
export type ResponseReader = {
  /**
   * Takes the next bytes.
   *
   * @returns the response when it is complete, or when its body has filled the part that is read; null before
   * @throws ResponseError
   */
  push(bytes: Buffer): EndpointResponse | null;
  /** The endpoint has ended the connection. @throws ResponseError where the response is not complete */
  end(): EndpointResponse;
};

/** Everything that an endpoint may send: status lines, headers, lengths of chunks with their extensions, trailers, body. */
const MOST_BYTES = 64 * 1024;
/** The most bytes of a body that are read; the rest is ignored. */
const MOST_BODY_BYTES = 16 * 1024;

/** The most bytes of a status line, a header or a chunk's length. */
const MOST_LINE_BYTES = 8 * 1024;

const STATUS_LINE = /^HTTP\/1\.[01] ([1-5]\d\d)(?: [^\r\n]*)?$/;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const LENGTH = /^\d{1,15}$/;
/** A chunk's length, and extensions, which are ignored. */
const CHUNK_LENGTH = /^([0-9a-fA-F]{1,8})[ \t]*(?:;.*)?$/;
const SWITCHING_PROTOCOLS = 101;
const WITHOUT_BODY = [204, 304];

/** What the next bytes are. */
type Part = "status" | "headers" | "chunkLength" | "chunkEnd" | "trailers" | "body";

/**
 * Reads a response by the specification of HTTP/1.1 (RFC 9112), and rejects what two programs could read in two ways. Every byte of every
 * part is counted: runtimes do not count extensions of chunks or interim responses, of which an endpoint can send any number.
 */
export function createResponseReader(): ResponseReader {
  let part: Part = "status";
  let received = 0;
  /** The line that is not complete yet. */
  let line = "";
  let status = 0;
  let lengths: string[] = [];
  let encodings: string[] = [];
  /** Bytes of the body, or of its chunk, that are still to come; Infinity if the body ends with the connection. */
  let left = 0;
  let isChunked = false;
  /** One buffer: the bytes may arrive one by one. */
  let body = Buffer.alloc(0);
  let bodyBytes = 0;
  let isComplete = false;

  const response = (): EndpointResponse => ({ status, body: body.subarray(0, bodyBytes) });

  /** Returns the line that ends in these bytes, without its CR and LF; null where no line ends in them. */
  function takeLine(bytes: Buffer, from: number): { text: string; next: number } | null {
    const end = bytes.indexOf(0x0a, from);
    line += bytes.toString("latin1", from, end === -1 ? bytes.length : end);
    if (line.length > MOST_LINE_BYTES) throw new ResponseError("RESPONSE");
    if (end === -1) return null;
    const text = line;
    line = "";
    if (!text.endsWith("\r")) throw new ResponseError("RESPONSE");
    return { text: text.slice(0, -1), next: end + 1 };
  }

  function takeBody(bytes: Buffer, from: number): number {
    const taken = Math.min(left, bytes.length - from);
    if (body.length === 0) body = Buffer.alloc(MOST_BODY_BYTES);
    bodyBytes += bytes.copy(body, bodyBytes, from, from + taken);
    left -= taken;
    if (left === 0 && isChunked) part = "chunkEnd";
    isComplete = bodyBytes >= MOST_BODY_BYTES || (left === 0 && !isChunked);
    return from + taken;
  }

  function readLine(text: string): void {
    if (part === "status") readStatus(text);
    else if (part === "headers") readHeader(text);
    else if (part === "chunkLength") readChunkLength(text);
    else if (part === "trailers") isComplete = text === "";
    else if (text === "") part = "chunkLength";
    else throw new ResponseError("RESPONSE");
  }

  function readStatus(text: string): void {
    const code = STATUS_LINE.exec(text)?.[1];
    if (code === undefined || Number(code) === SWITCHING_PROTOCOLS) throw new ResponseError("RESPONSE");
    status = Number(code);
    [lengths, encodings] = [[], []];
    part = "headers";
  }

  function readHeader(text: string): void {
    if (text === "") {
      beginBody();
      return;
    }
    const colon = text.indexOf(":");
    const name = text.slice(0, Math.max(0, colon));
    if (!HEADER_NAME.test(name)) throw new ResponseError("RESPONSE");
    const value = trimBlanks(text.slice(colon + 1));
    if (name.toLowerCase() === "content-length") lengths.push(value);
    if (name.toLowerCase() === "transfer-encoding") encodings.push(value);
  }

  function beginBody(): void {
    // An interim response: the final one follows.
    if (status < 200) {
      part = "status";
      return;
    }
    const [length, ...others] = lengths;
    const [encoding, ...more] = encodings;
    const isAmbiguous = others.length > 0 || more.length > 0 || (length !== undefined && encoding !== undefined);
    if (isAmbiguous || (length !== undefined && !LENGTH.test(length))) throw new ResponseError("RESPONSE");
    if (encoding !== undefined && encoding.toLowerCase() !== "chunked") throw new ResponseError("RESPONSE");
    isChunked = encoding !== undefined;
    left = length === undefined ? Number.POSITIVE_INFINITY : Number(length);
    if (WITHOUT_BODY.includes(status) || left === 0) isComplete = true;
    part = isChunked ? "chunkLength" : "body";
  }

  function readChunkLength(text: string): void {
    const length = CHUNK_LENGTH.exec(text)?.[1];
    if (length === undefined) throw new ResponseError("RESPONSE");
    left = Number.parseInt(length, 16);
    part = left === 0 ? "trailers" : "body";
  }

  return {
    push(bytes) {
      received += bytes.length;
      let at = 0;
      while (at < bytes.length && !isComplete) {
        if (part === "body") {
          at = takeBody(bytes, at);
          continue;
        }
        const taken = takeLine(bytes, at);
        if (taken === null) break;
        at = taken.next;
        readLine(taken.text);
      }
      if (isComplete) return response();
      if (received > MOST_BYTES) throw new ResponseError("RESPONSE");
      return null;
    },
    end() {
      if (part === "body" && left === Number.POSITIVE_INFINITY) return response();
      throw new ResponseError("CONNECTION");
    },
  };
}

/** Removes the spaces and tabs at both ends, and nothing else. One pattern for both ends would take quadratic time. */
function trimBlanks(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && " \t".includes(text.charAt(start))) start++;
  while (end > start && " \t".includes(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}
