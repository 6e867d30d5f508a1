import { readContent } from "@dueday/chain/client/readContent";
import { ServiceError } from "@dueday/core/errors";
import type { Static, TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";

export type SubgraphEndpoint = {
  url: string;
  apiKey: string | null;
  /** Default 10 s. */
  timeoutMs?: number;
};

const TIMEOUT_MS = 10_000;
const MOST_BYTES = 32 * 1024 * 1024;

/** The endpoint rejected the query, for example because its schema does not allow it. */
export class SubgraphRefusal extends ServiceError {
  constructor() {
    super("UPSTREAM_ERROR", "The subgraph rejected a query", { details: { failure: "graphql_errors" } });
  }
}

/**
 * Sends one GraphQL query; its answer must fit `schema`. Error texts of the endpoint are not passed on.
 *
 * @throws ServiceError
 */
export async function querySubgraph<T extends TSchema>(
  endpoint: SubgraphEndpoint,
  query: string,
  schema: T,
): Promise<Static<T>> {
  const answer = await post(endpoint, JSON.stringify({ query }));
  if (typeof answer !== "object" || answer === null) throw failed("malformed");
  if ("errors" in answer && Array.isArray(answer.errors) && answer.errors.length > 0) throw new SubgraphRefusal();
  if (!("data" in answer) || !Value.Check(schema, answer.data)) throw failed("malformed");
  return answer.data;
}

async function post({ url, apiKey, timeoutMs = TIMEOUT_MS }: SubgraphEndpoint, body: string): Promise<unknown> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
      },
      body,
      redirect: "error",
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (!response.ok) throw failed("http_status", response.status);
    const content = await readContent(response, MOST_BYTES);
    if (content === null) throw failed("too_large");
    return JSON.parse(content.text);
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    // Errors of fetch contain the URL, which may contain a key: only their kind is passed on.
    throw failed(error instanceof DOMException && error.name === "TimeoutError" ? "timeout" : "unreachable");
  }
}

function failed(failure: string, httpStatus?: number): ServiceError {
  return new ServiceError("UPSTREAM_ERROR", "The subgraph failed; try again later", {
    details: { failure, ...(httpStatus === undefined ? {} : { httpStatus }) },
  });
}
