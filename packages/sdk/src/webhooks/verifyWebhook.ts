import { parseObject } from "../http/readError";
import type { DuedayEvent, WebhookChallenge, WebhookTest } from "../operationTypes";

/** Headers as Node and frameworks on it have them. */
export type HeaderRecord = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A request whose body was read already, for example by a framework. The body must be the bytes that arrived, not parsed JSON. */
export type ReceivedWebhook = {
  headers: Pick<Headers, "get"> | HeaderRecord;
  body: string | Uint8Array;
};

export type VerifyWebhookOptions = {
  /** How far the time of the request may be from this machine's, in seconds. Default: 300. */
  toleranceSeconds?: number | undefined;
  /** Unix milliseconds; default: this machine's clock. */
  now?: (() => number) | undefined;
};

/**
 * - `MISSING_HEADER`: one of webhook-id, webhook-timestamp and webhook-signature is missing, or webhook-timestamp is malformed.
 * - `EXPIRED`: the time of the request is too far from this machine's, so it may be a replay of an old one.
 * - `WRONG_SIGNATURE`: the request was not signed with this secret, or was changed on the way.
 * - `INVALID_BODY`: signed, but not an event.
 */
export type WebhookErrorCode = "MISSING_HEADER" | "EXPIRED" | "WRONG_SIGNATURE" | "INVALID_BODY";

/** A request that has to be rejected: answer it with 400. */
export class WebhookError extends Error {
  override readonly name = "WebhookError";

  constructor(
    readonly code: WebhookErrorCode,
    message: string,
  ) {
    super(message);
  }
}

const TOLERANCE_SECONDS = 300;
/** Signatures that are read at most. A request has two while a secret is being replaced, and otherwise one. */
const SIGNATURES = 10;

/**
 * The event of a webhook, after its signature and time were verified by the Standard Webhooks specification. An event can arrive more
 * than once: store the header webhook-id, and ignore an event whose id is stored. A test of the webhook has the type `webhook.test`, and the
 * challenge that enables it `webhook.challenge` (`answerChallenge`).
 *
 * It uses Web Crypto, which browsers, workers, Node, Bun and Deno have, so it brings no dependency.
 *
 * @param request a `Request`, or headers and the exact body
 * @param secret `whsec_...`, as the service returned it once; several while one is being replaced
 * @throws WebhookError for a request that has to be rejected
 * @throws TypeError where the body was parsed or read before: the signature is over the bytes that arrived
 *
 * @example
 * async function POST(request: Request): Promise<Response> {
 *   const event = await verifyWebhook(request, secret);
 *   const answer = answerChallenge(event);
 *   if (answer !== null) return answer;
 *   if (event.type === "payment.failed") await suspend(event.data);
 *   return new Response(null, { status: 204 });
 * }
 */
export async function verifyWebhook(
  request: Request | ReceivedWebhook,
  secret: string | readonly string[],
  { toleranceSeconds = TOLERANCE_SECONDS, now = Date.now }: VerifyWebhookOptions = {},
): Promise<DuedayEvent | WebhookTest | WebhookChallenge> {
  const id = header(request, "webhook-id");
  const timestamp = header(request, "webhook-timestamp");
  const signatures = header(request, "webhook-signature");
  if (!/^\d{1,12}$/.test(timestamp)) {
    throw new WebhookError("MISSING_HEADER", "The header webhook-timestamp must be unix seconds");
  }
  if (Math.abs(now() / 1000 - Number(timestamp)) > toleranceSeconds) {
    throw new WebhookError("EXPIRED", `The time of the request is more than ${toleranceSeconds} s from this machine's`);
  }
  const body = await bytesOf(request);
  const signed = concat(encode(`${id}.${timestamp}.`), body);
  if (!(await isSigned(signed, signatures, typeof secret === "string" ? [secret] : secret))) {
    throw new WebhookError("WRONG_SIGNATURE", "The request was not signed with this secret, or was changed on the way");
  }
  const event = parseObject(new TextDecoder().decode(body));
  if (event === null || typeof event.type !== "string" || typeof event.id !== "string") {
    throw new WebhookError("INVALID_BODY", "The body is signed, but is not an event");
  }
  // Signed by the service, which sends the documented form.
  return event as unknown as DuedayEvent | WebhookTest | WebhookChallenge;
}

function header({ headers }: Request | ReceivedWebhook, name: string): string {
  const value = isHeaders(headers) ? headers.get(name) : lookUp(headers, name);
  if (typeof value !== "string" || value === "") {
    throw new WebhookError("MISSING_HEADER", `The header ${name} is missing`);
  }
  return value;
}

function isHeaders(headers: ReceivedWebhook["headers"]): headers is Pick<Headers, "get"> {
  return typeof headers.get === "function";
}

/** Node converts header names to lower case; other frameworks may not. */
function lookUp(headers: HeaderRecord, name: string) {
  return Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
}

const READ_RAW =
  'read the bytes that arrived, for example with express.raw({ type: "application/json" }), and verify before anything else parses them';

async function bytesOf(request: Request | ReceivedWebhook): Promise<Uint8Array<ArrayBuffer>> {
  if ("arrayBuffer" in request) {
    if (request.bodyUsed) throw new TypeError(`The body of the request was read already: ${READ_RAW}`);
    return new Uint8Array(await request.arrayBuffer());
  }
  const body: unknown = request.body;
  if (typeof body === "string") return encode(body);
  if (body instanceof Uint8Array) return new Uint8Array(body);
  const found = body === undefined ? "missing" : "parsed already";
  throw new TypeError(`The body is ${found}, and the signature is over its bytes: ${READ_RAW}`);
}

async function isSigned(
  signed: Uint8Array<ArrayBuffer>,
  signatures: string,
  secrets: readonly string[],
): Promise<boolean> {
  const given = signatures
    .split(" ")
    .slice(0, SIGNATURES)
    .flatMap((each) => {
      const [version, text = ""] = each.split(",");
      const bytes = version === "v1" ? fromBase64(text) : null;
      return bytes === null ? [] : [bytes];
    });
  for (const secret of secrets) {
    const bytes = fromBase64(secret.replace(/^whsec_/, ""));
    if (bytes === null || bytes.length === 0) throw new TypeError("secret must be whsec_ and base64");
    const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
    // Compares in constant time.
    for (const each of given) if (await crypto.subtle.verify("HMAC", key, each, signed)) return true;
  }
  return false;
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

function encode(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

function concat(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(a.length + b.length);
  whole.set(a);
  whole.set(b, a.length);
  return whole;
}
