import { ServiceError } from "@dueday/core/errors";

const HOST = /^(?:[A-Za-z0-9.-]{4,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{1,5})?$/;

/**
 * Checks the Host header before anything uses the URL that is made from it: Elysia finds the path by assuming a host of at least 4
 * characters, so a shorter or malformed one would reach another route than the one that was checked.
 *
 * @param allowed accepted names (without port, lower case); null accepts any well-formed name
 * @throws ServiceError VALIDATION_ERROR
 */
export function checkHost(host: string | null, allowed: ReadonlySet<string> | null): void {
  if (host === null || !HOST.test(host))
    throw refusal("must be a host name of at least 4 characters, or an IP address");
  if (allowed === null) return;
  if (!allowed.has(nameOf(host))) throw refusal("is not a name of this service");
}

/** A host name without its port, in lower case. */
export function nameOf(host: string): string {
  return host.replace(/:[0-9]+$/, "").toLowerCase();
}

function refusal(message: string): ServiceError {
  return new ServiceError("VALIDATION_ERROR", `The Host header ${message}`, {
    issues: [{ code: "HOST_REFUSED", path: "Host", message }],
  });
}
