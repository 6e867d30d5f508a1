import type { DetailsArgument } from "@dueday/core/calldata/subscriptionArgument";
import type { Warning } from "@dueday/core/errors";
import { checkDetails, isUnusualUrl } from "@dueday/core/text/checkDetails";
import { invalidInput } from "../../operation/checkInput";

/** @throws ServiceError VALIDATION_ERROR with an issue for each fault of url and description. */
export function requireDetails(details: DetailsArgument): void {
  const issues = checkDetails(details);
  if (issues.length > 0) throw invalidInput(issues);
}

/** Hints on details that are taken all the same. */
export function detailsWarnings({ url }: DetailsArgument): Warning[] {
  if (!isUnusualUrl(url)) return [];
  const message = "details.url is not an https address: many wallets and sites will not show it as a link.";
  return [{ code: "URL_NOT_HTTPS", message }];
}
