import type { RpcReport } from "../rpcMetrics";

/** Values that a span has besides its name and time: numbers, names and ids, never a URL, a secret or a text of a client. */
export type SpanFacts = Readonly<Record<string, string | number | null>>;

type Answer = (request: Request) => Promise<Response>;

/**
 * Spans of a process for an OpenTelemetry collector. A process whose traces are off has `null` instead.
 */
export type Traces = {
  /** Answers each request in a span, which continues the trace of the request's `traceparent`. */
  aroundRequests(answer: Answer): Answer;
  /** Names the active span, and adds facts; a `fault` marks the span as failed. */
  describe(name: string, facts: SpanFacts, fault?: string | null): void;
  /** Runs work in a span that begins a new trace. */
  run<T>(name: string, facts: SpanFacts, work: () => Promise<T>): Promise<T>;
  /** Adds a span of work that has just ended. */
  note(name: string, facts: SpanFacts, milliseconds: number, fault: string | null): void;
  /** For `createChainClient`: each request to a node becomes a child of the span that caused it; a request without such a span is not traced. */
  onCall(chainId: number): () => ((report: RpcReport) => void) | null;
  /** Sends the spans that are left. */
  stop(): Promise<void>;
};

export type TracesOptions = {
  /** Base URL of the collector. */
  endpoint: string;
  /** `service.name` of the process. */
  service: string;
  /** Share of the traces that begin in this process, 1 to 100. A request that names a trace follows the decision of that trace. */
  percent: number;
  /** Called when the collector has refused or not answered; those spans are lost. */
  onFault(error: unknown): void;
};
