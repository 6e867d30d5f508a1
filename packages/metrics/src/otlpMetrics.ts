import type { MetricObjectWithValues, MetricValue, Registry } from "prom-client";

type Attribute = { key: string; value: { stringValue: string } };
type Times = { startTimeUnixNano: string; timeUnixNano: string };
type NumberPoint = Times & { attributes: Attribute[]; asDouble: number };
type HistogramPoint = Times & {
  attributes: Attribute[];
  count: string;
  sum: number;
  bucketCounts: string[];
  explicitBounds: number[];
};

/** A metric in the JSON form of OTLP. 64-bit integers are texts. */
export type OtlpMetric = { name: string; description: string } & (
  | { gauge: { dataPoints: NumberPoint[] } }
  | { sum: { dataPoints: NumberPoint[]; aggregationTemporality: 2; isMonotonic: true } }
  | { histogram: { dataPoints: HistogramPoint[]; aggregationTemporality: 2 } }
);

/** Values since the start of the process, as Prometheus has them. */
const CUMULATIVE = 2;

/** All metrics of a process as the body of a request to `/v1/metrics` of an OpenTelemetry collector. */
export async function otlpMetrics(registry: Registry, { service, startedAt, now }: OtlpSource) {
  const times = { startTimeUnixNano: nanoseconds(startedAt), timeUnixNano: nanoseconds(now) };
  const metrics = (await registry.getMetricsAsJSON()).map((metric) => toOtlp(metric, times));
  const resource = { attributes: attributes({ "service.name": service }) };
  return { resourceMetrics: [{ resource, scopeMetrics: [{ scope: { name: "dueday" }, metrics }] }] };
}

/** Times are unix milliseconds. */
export type OtlpSource = { service: string; startedAt: number; now: number };

type Values = MetricObjectWithValues<MetricValue<string>>;

function toOtlp(metric: Values, times: Times): OtlpMetric {
  const { name, help: description, values } = metric;
  // The library declares a number, but the value is the name of the type.
  const type = String(metric.type);
  if (type === "histogram") {
    return {
      name,
      description,
      histogram: { dataPoints: histogramPoints(values, times), aggregationTemporality: CUMULATIVE },
    };
  }
  const dataPoints = values.map(({ labels, value }) => ({ ...times, attributes: attributes(labels), asDouble: value }));
  if (type !== "counter") return { name, description, gauge: { dataPoints } };
  return { name, description, sum: { dataPoints, aggregationTemporality: CUMULATIVE, isMonotonic: true } };
}

/** Prometheus counts a value in each bucket that it fits into, OTLP in one. */
function histogramPoints(values: Values["values"], times: Times): HistogramPoint[] {
  const series = new Map<
    string,
    { labels: Labels; buckets: [bound: number, count: number][]; sum: number; count: number }
  >();
  for (const each of values) {
    const { labels, value } = each;
    // The library's types lack `metricName`, which the values of a histogram have.
    const metricName = "metricName" in each ? String(each.metricName) : "";
    const { le, ...rest } = labels;
    const key = JSON.stringify(rest);
    const known = series.get(key) ?? { labels: rest, buckets: [], sum: 0, count: 0 };
    series.set(key, known);
    if (metricName.endsWith("_sum")) known.sum = value;
    else if (metricName.endsWith("_count")) known.count = value;
    else if (le !== undefined && le !== "+Inf") known.buckets.push([Number(le), value]);
  }
  return [...series.values()].map(({ labels, buckets, sum, count }) => {
    const sorted = buckets.toSorted(([a], [b]) => a - b);
    const cumulative = [...sorted.map(([, each]) => each), count];
    return {
      ...times,
      attributes: attributes(labels),
      count: String(count),
      sum,
      bucketCounts: cumulative.map((each, at) => String(each - (cumulative[at - 1] ?? 0))),
      explicitBounds: sorted.map(([bound]) => bound),
    };
  });
}

type Labels = Partial<Record<string, string | number>>;

function attributes(labels: Labels): Attribute[] {
  return Object.entries(labels).map(([key, value]) => ({ key, value: { stringValue: String(value) } }));
}

function nanoseconds(milliseconds: number): string {
  return String(BigInt(Math.round(milliseconds)) * 1_000_000n);
}
