import { isHttpsUrl } from "@dueday/core/checkoutUrls";
import { validationError } from "@dueday/core/errors";

/** Judges the paymaster of a request. The service never calls it. @throws ServiceError VALIDATION_ERROR where it is not an https URL */
export function requirePaymaster(paymasterUrl: string | undefined): void {
  if (paymasterUrl === undefined || isHttpsUrl(paymasterUrl, { toLoopback: false })) return;
  throw validationError("paymasterUrl", "MALFORMED", "must be an https URL, such as https://paymaster.example/v1");
}
