import { DuedayError } from "@dueday/sdk";

/**
 * What the SDK does with a wallet. Its code is loaded with the first click on a button that signs: a page shows that button without it.
 *
 * @throws DuedayError NETWORK_ERROR where it can't be loaded
 */
export async function loadActions() {
  return import("@dueday/sdk/actions").catch((cause: unknown) => {
    throw new DuedayError("NETWORK_ERROR", "the code that signs could not be fetched", { cause });
  });
}
