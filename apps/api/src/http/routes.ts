import { ServiceError } from "@dueday/core/errors";
import type { Bucket } from "../operation/defineOperation";
import type { Exchange, RenderError } from "./exchange";

/** One method on one path, with its policy and its answer. Surfaces return lists of routes; `createApp` composes them. */
export type Route = {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Without the /api prefix; `:name` matches one segment. */
  path: string;
  /** What a request takes before it is answered. Null: nothing, or what `answer` takes, because that depends on the body. */
  bucket: Bucket | null;
  /** Bytes. */
  bodyLimit: number;
  /** The operation behind the route, for the log and metrics. */
  operation?: { name: string; chainScoped: boolean };
  /** @throws ServiceError; `toServiceError` converts any other error. */
  answer(exchange: Exchange): Promise<Response>;
  /** The path takes no chainId from the URL: a chain is selected elsewhere in the request. */
  chainless?: true;
  /** A page, which itself shows the chains that are served: it is sent even where the chainId is not accepted. */
  page?: true;
  /** The form of this path's errors. Default: the error envelope. */
  renderError?: RenderError;
};

/** The paths that still answer while API_ENABLED is false. */
const ALWAYS_ON = ["/", "/status", "/catalog", "/docs", "/openapi.json"];

/** Whether API_ENABLED false leaves a path on: the pages of the documents included. */
export function isAlwaysOn(path: string): boolean {
  return ALWAYS_ON.includes(path) || path.startsWith("/docs/");
}

/** With API_ENABLED false: only the paths that are always on answer. */
export function switchOff(routes: readonly Route[]): Route[] {
  return routes.map((route) => (isAlwaysOn(route.path) ? route : { ...route, answer: refuse }));
}

async function refuse(): Promise<never> {
  const message =
    "The operator has switched the API off (API_ENABLED=false). GET /, /status, /catalog, /docs and /openapi.json still answer";
  throw new ServiceError("API_DISABLED", message, { headers: { "Retry-After": "3600" } });
}
