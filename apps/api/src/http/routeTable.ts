import type { Bucket, Operation } from "../operation/defineOperation";

/** One thing that can be asked for by method and path: an operation, or a page of a surface. */
export type Route = {
  method: "GET" | "POST" | "DELETE";
  /** Without the /api prefix; `:name` stands for one segment. */
  path: string;
  /** Null: what it asks for stands in its body, so it is counted behind the gate. */
  bucket: Bucket | null;
  bodyLimitBytes: number;
  operation: Operation | null;
};

export type RouteMatch =
  | { found: "route"; route: Route; pathValues: Record<string, string> }
  /** The path exists, the method does not. */
  | { found: "path"; allow: string }
  | { found: "nothing" };

export type RouteTable = { match(method: string, path: string): RouteMatch };

type Node = { routes: Map<string, Route>; literals: Map<string, Node>; parameter: Node | null };

/** Looks routes up segment by segment; a literal segment goes before a parameter. Paths are matched as they are, case and all. */
export function createRouteTable(routes: readonly Route[]): RouteTable {
  const root = createNode();
  for (const route of routes) {
    const node = route.path.split("/").reduce(childFor, root);
    if (node.routes.has(route.method)) throw new Error(`two routes for ${route.method} ${route.path}`);
    node.routes.set(route.method, route);
  }
  return {
    match(method, path) {
      const segments = path.split("/");
      const node = find(root, segments);
      if (node === null) return { found: "nothing" };
      const route = node.routes.get(method === "HEAD" ? "GET" : method);
      if (route === undefined) return { found: "path", allow: allowedMethods(node) };
      return { found: "route", route, pathValues: readPathValues(route.path, segments) };
    },
  };
}

function createNode(): Node {
  return { routes: new Map(), literals: new Map(), parameter: null };
}

function childFor(node: Node, segment: string): Node {
  if (segment.startsWith(":")) {
    node.parameter ??= createNode();
    return node.parameter;
  }
  const child = node.literals.get(segment) ?? createNode();
  node.literals.set(segment, child);
  return child;
}

function find(node: Node, [segment, ...rest]: string[]): Node | null {
  if (segment === undefined) return node.routes.size > 0 ? node : null;
  const literal = node.literals.get(segment);
  const found = literal === undefined ? null : find(literal, rest);
  if (found !== null || node.parameter === null || segment === "") return found;
  return find(node.parameter, rest);
}

function allowedMethods(node: Node): string {
  const methods = [...node.routes.keys()];
  return [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ");
}

/** Values of the path's parameters, percent-decoded; one that can't be decoded stays as it is and meets its schema. */
function readPathValues(pattern: string, segments: string[]): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [index, name] of pattern.split("/").entries()) {
    if (!name.startsWith(":")) continue;
    const text = segments[index] ?? "";
    try {
      values[name.slice(1)] = decodeURIComponent(text);
    } catch {
      values[name.slice(1)] = text;
    }
  }
  return values;
}
