/** What an OpenTelemetry collector received: one request. */
export type Received = { path: string; type: string | null; body: Record<string, unknown> };

/** A span as it arrives, with what the tests compare. */
export type ReceivedSpan = {
  service: string;
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  facts: Record<string, string | number>;
  isFault: boolean;
};

/** An OpenTelemetry collector that keeps what arrives by OTLP over HTTP, and answers with `status`. */
export function startCollector(status = 200) {
  const received: Received[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname: path } = new URL(request.url);
      received.push({ path, type: request.headers.get("content-type"), body: Object(await request.json()) });
      return Response.json({}, { status });
    },
  });
  return {
    received,
    endpoint: server.url.origin,
    /** All spans so far. */
    spans: () => received.filter(({ path }) => path === "/v1/traces").flatMap(({ body }) => spansOf(body)),
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

type Value = { stringValue?: string; intValue?: number; doubleValue?: number };
type Attributes = { key: string; value: Value }[];
type Exported = {
  resourceSpans?: {
    resource: { attributes: Attributes };
    scopeSpans: {
      spans: {
        name: string;
        traceId: string;
        spanId: string;
        parentSpanId?: string;
        attributes: Attributes;
        status: { code: number };
      }[];
    }[];
  }[];
};

const ERROR_STATUS = 2;

function spansOf({ resourceSpans = [] }: Exported): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(({ name, traceId, spanId, parentSpanId, attributes, status }) => ({
        service: String(factsOf(resource.attributes)["service.name"]),
        name,
        traceId,
        spanId,
        parentSpanId,
        facts: factsOf(attributes),
        isFault: status.code === ERROR_STATUS,
      })),
    ),
  );
}

function factsOf(attributes: Attributes): Record<string, string | number> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? value.doubleValue ?? ""]),
  );
}
