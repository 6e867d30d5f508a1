import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { setGlobalErrorHandler, W3CTraceContextPropagator } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { SpanFacts, Traces, TracesOptions } from "./traces";

/** How long a collector that hangs can delay the end of a process. */
const ANSWER_WITHIN_MS = 2_000;

const fromHeaders = {
  get: (headers: Headers, key: string) => headers.get(key) ?? undefined,
  keys: (headers: Headers) => [...headers.keys()],
};

/** Sends spans in batches to `/v1/traces` of a collector, by OTLP over HTTP with JSON. Spans that it does not take are dropped. */
export function createTraces({ endpoint, service, percent, onFault }: TracesOptions): Traces {
  setGlobalErrorHandler(onFault);
  const url = new URL("v1/traces", endpoint.endsWith("/") ? endpoint : `${endpoint}/`).href;
  const exporter = new OTLPTraceExporter({ url, timeoutMillis: ANSWER_WITHIN_MS });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ "service.name": service }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(percent / 100) }),
    spanProcessors: [new BatchSpanProcessor({ exporter, exportTimeoutMillis: ANSWER_WITHIN_MS })],
  });
  const tracer = provider.getTracer("dueday");
  const contexts = new AsyncLocalStorageContextManager().enable();
  const propagator = new W3CTraceContextPropagator();

  async function inSpan<T>(span: Span, parent: Context, work: () => Promise<T>): Promise<T> {
    try {
      return await contexts.with(trace.setSpan(parent, span), work);
    } catch (error) {
      fail(span, codeOf(error));
      throw error;
    } finally {
      span.end();
    }
  }

  function noteIn(
    parent: Context,
    name: string,
    facts: SpanFacts,
    { milliseconds, fault }: { milliseconds: number; fault: string | null },
  ): void {
    const startTime = Date.now() - milliseconds;
    const span = tracer.startSpan(name, { kind: SpanKind.CLIENT, startTime, attributes: attributesOf(facts) }, parent);
    if (fault !== null) fail(span, fault);
    span.end();
  }

  return {
    aroundRequests: (answer) => (request) => {
      const parent = propagator.extract(ROOT_CONTEXT, request.headers, fromHeaders);
      const span = tracer.startSpan("request", { kind: SpanKind.SERVER }, parent);
      return inSpan(span, parent, () => answer(request));
    },
    describe(name, facts, fault = null) {
      const span = trace.getSpan(contexts.active());
      span?.updateName(name).setAttributes(attributesOf(facts));
      if (span !== undefined && fault !== null) fail(span, fault);
    },
    run(name, facts, work) {
      return inSpan(tracer.startSpan(name, { attributes: attributesOf(facts) }, ROOT_CONTEXT), ROOT_CONTEXT, work);
    },
    note(name, facts, milliseconds, fault) {
      noteIn(ROOT_CONTEXT, name, facts, { milliseconds, fault });
    },
    onCall: (chainId) => () => {
      // Read when the call begins: a batch of several callers is sent in the context of the first, so the active context would be the wrong one at the end.
      const caller = contexts.active();
      if (trace.getSpan(caller)?.isRecording() !== true) return null;
      return ({ method, urlIndex, purpose, outcome, milliseconds }) => {
        const facts = { "dueday.chain_id": chainId, "dueday.node": urlIndex, "dueday.purpose": purpose };
        // A refusal, such as a revert, is an answer of the node.
        const fault = outcome === "ok" || outcome === "refused" ? null : outcome;
        noteIn(caller, method, { ...facts, "dueday.outcome": outcome }, { milliseconds, fault });
      };
    },
    async stop() {
      await Promise.race([provider.shutdown().catch(onFault), Bun.sleep(ANSWER_WITHIN_MS)]);
      contexts.disable();
    },
  };
}

function fail(span: Span, fault: string): void {
  span.setAttribute("error.type", fault).setStatus({ code: SpanStatusCode.ERROR });
}

/** The code of an error, never its message, which may contain the URL of a node. */
function codeOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : "INTERNAL";
}

function attributesOf(facts: SpanFacts): Attributes {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== null)) as Attributes; // null is filtered
}
