import { withoutTrailing } from "@dueday/core/text/withoutTrailing";
/** How an operation is called over HTTP. */
export type OperationRoute = {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** With `:name` for each input that is part of the path. */
  path: string;
  /** Inputs in the query string. Only listed where the method has a body: without one, all but those of the path are there. */
  query?: readonly string[];
  /** Whether the answer is about one chain, which the query may name. */
  chainScoped?: true;
  /** Whether repeating it may do something twice. */
  changes?: true;
};

/** Path, query and body of a call. */
export type BuiltRequest = { url: string; body: string | null };

/** Puts each input where the operation has it. Keys the route does not know go where the service will name them in its error. */
export function buildRequest(
  baseUrl: string,
  route: OperationRoute,
  input: Readonly<Record<string, unknown>>,
  common: Readonly<Record<string, unknown>> = {},
): BuiltRequest {
  const hasBody = route.method !== "GET" && route.method !== "DELETE";
  const query = new URLSearchParams();
  const body: Record<string, unknown> = {};
  const inPath = new Set<string>();
  const path = route.path.replace(/:(\w+)/g, (_, key: string) => {
    inPath.add(key);
    // A URL has no segments "." and ".." (also as %2E): encoded twice, they reach the service, which refuses them.
    return encodeURIComponent(String(input[key] ?? "")).replace(/^\.\.?$/, (dots) => dots.replaceAll(".", "%252E"));
  });
  for (const [key, value] of Object.entries(input)) {
    if (value === undefined || inPath.has(key)) continue;
    if (hasBody && route.query?.includes(key) !== true) body[key] = value;
    else append(query, key, value);
  }
  for (const [key, value] of Object.entries(common)) if (value !== undefined) append(query, key, value);
  const text = query.toString();
  const url = `${withoutTrailing(baseUrl, "/")}${path}${text === "" ? "" : `?${text}`}`;
  return { url, body: hasBody ? JSON.stringify(body) : null };
}

/** A list is written as a name that is repeated. */
function append(query: URLSearchParams, key: string, value: unknown): void {
  for (const each of Array.isArray(value) ? value : [value]) query.append(key, String(each));
}
