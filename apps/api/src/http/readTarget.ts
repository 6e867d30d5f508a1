import { parseChainId } from "@dueday/core/chains";
import { type Issue, ServiceError } from "@dueday/core/errors";
import type { ServedChain } from "../chains/servedChain";
import type { RawInput } from "../operation/checkInput";
import { gatherQuery } from "./gatherInput";
import type { RouteMatch, RouteTable } from "./routeTable";

/** What method and URL alone say of a request. */
export type Target = {
  /** Without query and /api prefix. */
  path: string;
  /** Undefined where the query's chainId was refused. */
  chain: ServedChain | undefined;
  chainIssue: Issue | null;
  match: RouteMatch;
  /** Values of path and query for the operation that was matched. */
  raw: RawInput;
};

export type TargetReader = (method: string, url: string) => Target;

export type TargetOptions = { routes: RouteTable; chains: ReadonlyMap<number, ServedChain>; defaultChain: ServedChain };

/** Targets kept: a keeper or dashboard asks for the same URL again and again. */
const TARGETS_KEPT = 1_000;
const LONGEST_KEPT_URL = 512;

/** Reads method and URL of requests. Nothing but these two decides the outcome, so that of a GET is kept. */
export function createTargetReader(options: TargetOptions): TargetReader {
  const kept = new Map<string, Target>();
  return (method, url) => {
    const known = method === "GET" ? kept.get(url) : undefined;
    if (known !== undefined) return known;
    const target = readTarget(options, method, url);
    if (method === "GET" && url.length <= LONGEST_KEPT_URL) {
      if (kept.size >= TARGETS_KEPT) kept.clear();
      kept.set(url, target);
    }
    return target;
  };
}

function readTarget(options: TargetOptions, method: string, url: string): Target {
  const { path, search } = splitUrl(url);
  const query = new URLSearchParams(search);
  const match = options.routes.match(method, path);
  const chain = readChain(options, query.getAll("chainId"));
  const raw: RawInput =
    match.found === "route" && match.route.operation !== null
      ? gatherQuery(match.route.operation, match.pathValues, query)
      : { values: {}, issues: [] };
  return { path, match, raw, ...chain };
}

/**
 * Bun makes the URL from the Host header, which has been judged before, so the path begins at the first slash after it. No client
 * has a reason to send a fragment: a `#` is a character like any other here, as it is for Elysia's routes.
 */
function splitUrl(url: string): { path: string; search: string } {
  const start = url.indexOf("/", "https://".length);
  const target = start === -1 ? "/" : url.slice(start);
  const mark = target.indexOf("?");
  const path = mark === -1 ? target : target.slice(0, mark);
  return { path: withoutApiPrefix(path), search: mark === -1 ? "" : target.slice(mark + 1) };
}

/** Legacy hosts keep the /api prefix; it is accepted everywhere. */
function withoutApiPrefix(path: string): string {
  if (path === "/api") return "/";
  return path.startsWith("/api/") ? path.slice("/api".length) : path;
}

function readChain(
  { chains, defaultChain }: TargetOptions,
  values: readonly string[],
): Pick<Target, "chain" | "chainIssue"> {
  const refuse = (code: string, message: string) => ({
    chain: undefined,
    chainIssue: { code, path: "chainId", message },
  });
  const [text] = values;
  if (text === undefined) return { chain: defaultChain, chainIssue: null };
  if (values.length > 1) return refuse("REPEATED", "must be given once");
  const chainId = parseChainId(text);
  if (chainId === null) return refuse("MALFORMED", "must be a chain id such as 8453, or eip155:8453");
  const chain = chains.get(chainId);
  if (chain?.config.rest !== true)
    return refuse("UNKNOWN_CHAIN", "is not a chain served here; see chains[] of GET /catalog");
  return { chain, chainIssue: null };
}

/** The chain that the request selected. @throws ServiceError VALIDATION_ERROR when its chainId was refused. */
export function chainOf({ chain, chainIssue }: Target): ServedChain {
  if (chain !== undefined) return chain;
  const issues = chainIssue === null ? [] : [chainIssue];
  throw new ServiceError("VALIDATION_ERROR", `chainId ${chainIssue?.message ?? "is not valid"}`, { issues });
}
