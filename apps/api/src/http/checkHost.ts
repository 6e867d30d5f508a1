import { ServiceError } from "@dueday/core/errors";

const HOST = /^(?:[A-Za-z0-9.-]{4,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{1,5})?$/;

/**
 * Judges the Host header before anything reads the URL that is made from it: a router that guesses where the path begins can be
 * led astray by a very short or odd host.
 *
 * @param allowed names accepted (without port, lower case); null accepts any that is well-formed
 * @throws ServiceError VALIDATION_ERROR
 */
export function checkHost(host: string | null, allowed: ReadonlySet<string> | null): void {
  if (host === null || !HOST.test(host))
    throw refusal("must be a host name of at least 4 characters, or an IP address");
  if (allowed === null) return;
  if (!allowed.has(host.replace(/:[0-9]+$/, "").toLowerCase())) throw refusal("is not a name of this service");
}

function refusal(message: string): ServiceError {
  return new ServiceError("VALIDATION_ERROR", `The Host header ${message}`, {
    issues: [{ code: "HOST_REFUSED", path: "Host", message }],
  });
}
