import type { CallOptions } from "./callOptions";
import type { DuedayMethod } from "./duedayMethod";
import { type EventsInput, type EventsOptions, followEvents } from "./events/followEvents";
import { buildRequest, type OperationRoute } from "./http/buildRequest";
import { createAnswerCache, type KnownAnswer } from "./http/createAnswerCache";
import { createTransport, type TransportOptions } from "./http/createTransport";
import { DuedayError } from "./http/duedayError";
import { type CsvOperation, csvOperations, operationRoutes } from "./http/operationRoutes";
import { parseObject } from "./http/readError";
import type { DuedayEvent, DuedayMethods, OperationName, Operations } from "./operationTypes";

/** Settings of {@link createDueday}. */
export type DuedayOptions = TransportOptions & {
  /** Where the service is, for example `https://api.example.com`. */
  baseUrl: string;
  /** The chain of all calls that are about one. Default: the service's own. */
  chainId?: number | undefined;
  /** Returns the block that no answer may be older than, for calls that name none: for example that of the caller's last transaction. */
  minBlock?: (() => bigint | undefined) | undefined;
};

/** The lists that the service writes as CSV. A file has no pages: it begins after `after` and has all entries. */
export type DuedayCsv = {
  [N in CsvOperation]: DuedayMethod<Omit<Operations[N]["input"], "first" | "skip">, string>;
};

/** A client of a Dueday service. */
export type Dueday = DuedayMethods & {
  /**
   * Lists of history and money as the text of a CSV file (RFC 4180): a header row, then the entries that match. Texts that a
   * spreadsheet would run as a formula begin with an apostrophe.
   *
   * @example
   * const file = await dueday.csv.getProviderIncome({ address, group: "month", fromDate: "2026-01-01" });
   */
  readonly csv: DuedayCsv;
  /**
   * Follows the chain's events. Reconnects by itself and continues after the last event, so none is missed or repeated. Ends when
   * `signal` aborts or the loop is left.
   *
   * @throws DuedayError EVENTS_GONE (410) when `after` is older than what the service keeps, or above the last event
   *
   * @example
   * for await (const event of dueday.events({ types: ["payment.paid"], provider })) {
   *   console.log(event.seq, event.data);
   * }
   */
  events(input?: EventsInput, options?: EventsOptions): AsyncGenerator<DuedayEvent, void, undefined>;
};

/**
 * A client of a Dueday service, over HTTP. It needs nothing but `fetch`: browsers, Node 22, Bun and Deno have it.
 *
 * Reads that are polled keep the service's ETag, so an unchanged answer comes without a body. A call that may succeed later is
 * repeated, after the time that the service asks for. A call that fails rejects with a {@link DuedayError}.
 *
 * @example
 * const dueday = createDueday({ baseUrl: "https://api.example.com" });
 * const { results } = await dueday.getSubscriptionsDue({ frequency: 1 });
 */
export function createDueday(options: DuedayOptions): Dueday {
  const transport = createTransport(options);
  const cache = createAnswerCache();

  function request(route: OperationRoute, input: Record<string, unknown>, callOptions: CallOptions) {
    const { signal, chainId = options.chainId, minBlock = options.minBlock?.() } = callOptions;
    const common = route.chainScoped === true ? { chainId, minBlock } : {};
    const { url, body } = buildRequest(options.baseUrl, route, input, common);
    return { url, method: route.method, body, signal, changes: route.changes ?? false };
  }

  const call: Call = async (route, input = {}, callOptions = {}) => {
    const exchange = request(route, input, callOptions);
    const { url } = exchange;
    const known = route.method === "GET" ? cache.get(url) : undefined;
    const { response, text } = await transport.send({
      ...exchange,
      ...(known !== undefined && { headers: { "If-None-Match": known.etag } }),
    });
    if (response.status === 304 && known !== undefined) {
      cache.set(url, known);
      return confirmed(known, response);
    }
    const answer = parseObject(text);
    if (answer === null) throw invalidAnswer(response);
    const etag = response.headers.get("ETag");
    if (etag !== null && route.method === "GET") cache.set(url, { etag, text });
    return answer;
  };

  const readCsv: Call = async (route, input = {}, callOptions = {}) => {
    const exchange = request(route, input, callOptions);
    const { response, text } = await transport.send({ ...exchange, headers: { Accept: "text/csv" } });
    if (response.headers.get("Content-Type")?.startsWith("text/csv") !== true) throw invalidAnswer(response);
    return text;
  };

  const methodsOf = (names: readonly OperationName[], ask: Call) =>
    Object.fromEntries(
      names.map((name): [string, unknown] => [
        name,
        (input?: Record<string, unknown>, callOptions?: CallOptions) => ask(operationRoutes[name], input, callOptions),
      ]),
    );
  return {
    // The routes have the names of the operations, and tests of the service check its answers against their output types.
    ...(methodsOf(Object.keys(operationRoutes) as OperationName[], call) as DuedayMethods),
    csv: methodsOf(csvOperations, readCsv) as DuedayCsv, // text, as checked
    events({ after, ...filters } = {}, { signal, onOpen, onClose, chainId = options.chainId } = {}) {
      const open = (from: number | undefined) => {
        const { url } = buildRequest(options.baseUrl, EVENTS, { ...filters, after: from }, { chainId });
        return transport.open({ url, method: "GET", headers: { Accept: "text/event-stream" }, signal });
      };
      return followEvents(open, { after, signal, onOpen, onClose });
    },
  };
}

type Call = (route: OperationRoute, input?: Record<string, unknown>, options?: CallOptions) => Promise<unknown>;

const EVENTS: OperationRoute = { method: "GET", path: "/events", chainScoped: true };

const AS_OF = /^(\d+);(0x[0-9a-f]+);(\d+);([01])$/;

/** A known answer, true for the block that the 304 names. It is parsed each time: a caller may have changed the last result. */
function confirmed({ text }: KnownAnswer, response: Response): unknown {
  const answer = parseObject(text);
  const [, blockNumber, blockHash, blockTimestamp, stale] = AS_OF.exec(response.headers.get("X-As-Of") ?? "") ?? [];
  if (answer === null || typeof answer.asOf !== "object" || blockNumber === undefined) return answer;
  const { timestampMs, ...known } = Object(answer.asOf);
  const asOf = { ...known, blockNumber, blockHash, blockTimestamp: Number(blockTimestamp), stale: stale === "1" };
  // The header has no milliseconds: the known ones are true only for the known block.
  return {
    ...answer,
    asOf: blockHash === known.blockHash && timestampMs !== undefined ? { ...asOf, timestampMs } : asOf,
  };
}

function invalidAnswer({ status, headers }: Response): DuedayError {
  const facts = { status, requestId: headers.get("X-Request-Id") };
  return new DuedayError("INVALID_ANSWER", `The answer (HTTP ${status}) is not one of a Dueday service`, facts);
}
