import { parseQuantity } from "./parseQuantity";
import { upstreamError } from "./upstreamError";

/** A number of a node's answer to `method`. Throws ServiceError UPSTREAM_ERROR for anything else. */
export function expectQuantity(value: unknown, method: string): bigint {
  const number = parseQuantity(value);
  if (number === null) throw upstreamError({ kind: "malformed" }, method);
  return number;
}
