import type { Exchange } from "./exchange";

/** Paths are text by strangers: long ones are cut before they reach the log. */
const LOGGED_PATH_LENGTH = 200;
/** Bytes of a duration and of what closes the line. */
const LONGEST_END = 32;

const ZERO = 0x30;
const POINT = 0x2e;
const BRACE = 0x7d;
const NEWLINE = 0x0a;

/** What the log tells of a request. What a line is written over with comes first: before it nothing but ASCII may stand. */
export function requestFacts(exchange: Exchange, status: number) {
  const { requestId, client, method, path, operation, chainId, lane, error } = exchange;
  return {
    requestId,
    client,
    method,
    path: path.slice(0, LOGGED_PATH_LENGTH),
    operation,
    chainId,
    lane,
    status,
    code: error?.code,
  };
}

/**
 * The log line, as JSON, of all requests that differ in time, id, client and duration only. It is copied as bytes, and these are
 * written over: to put it together as text and turn that into bytes would cost as much as all that the gate does.
 */
export class RequestLine {
  /** Bytes of a line at most. */
  readonly longest: number;
  readonly #facts: ReturnType<typeof requestFacts>;
  readonly #bytes: Uint8Array;
  readonly #timeAt: number;
  readonly #requestIdAt: number;
  readonly #clientAt: number;
  #millisecond = 0;

  constructor(exchange: Exchange, status: number) {
    const time = new Date(this.#millisecond).toISOString();
    const facts = requestFacts(exchange, status);
    const text = JSON.stringify({ level: "info", time, ...facts, msg: "request", milliseconds: 0 });
    this.#facts = facts;
    this.#bytes = new TextEncoder().encode(text.slice(0, -"0}".length));
    this.longest = this.#bytes.length + LONGEST_END;
    this.#timeAt = text.indexOf(time);
    this.#requestIdAt = text.indexOf(facts.requestId);
    this.#clientAt = text.indexOf(facts.client ?? "", this.#requestIdAt + facts.requestId.length);
  }

  /** Whether this is the line of an exchange too. */
  suits({ method, path, operation, chainId, lane, client, error }: Exchange, status: number): boolean {
    const facts = this.#facts;
    return (
      path === facts.path &&
      status === facts.status &&
      lane === facts.lane &&
      method === facts.method &&
      operation === facts.operation &&
      chainId === facts.chainId &&
      error?.code === facts.code &&
      client?.length === facts.client?.length
    );
  }

  /** Writes the line of an exchange that it suits to a place in `block`. @returns where it ends */
  write(block: Uint8Array, at: number, { requestId, client }: Exchange, milliseconds: number): number {
    const now = Date.now();
    if (now !== this.#millisecond) {
      this.#millisecond = now;
      writeText(this.#bytes, this.#timeAt, new Date(now).toISOString());
    }
    block.set(this.#bytes, at);
    writeText(block, at + this.#requestIdAt, requestId);
    if (client !== null) writeText(block, at + this.#clientAt, client);
    const end = writeThousandths(block, at + this.#bytes.length, Math.round(milliseconds * 1000));
    block[end] = BRACE;
    block[end + 1] = NEWLINE;
    return end + 2;
  }
}

/** Text that is plain ASCII, as ids and hashes are. */
function writeText(block: Uint8Array, at: number, text: string): void {
  for (let index = 0; index < text.length; index += 1) block[at + index] = text.charCodeAt(index);
}

/** A whole number of thousandths as a decimal number with three digits behind the point. @returns where it ends */
function writeThousandths(block: Uint8Array, at: number, thousandths: number): number {
  let digits = 4;
  for (let bound = 10_000; thousandths >= bound; bound *= 10) digits += 1;
  let rest = thousandths;
  for (let index = digits; index >= 0; index -= 1) {
    if (index === digits - 3) {
      block[at + index] = POINT;
      continue;
    }
    block[at + index] = ZERO + (rest % 10);
    rest = Math.floor(rest / 10);
  }
  return at + digits + 1;
}
