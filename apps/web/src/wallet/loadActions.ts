import { DuedayError } from "@dueday/sdk";

/**
 * Loads the SDK's wallet actions, with the first click on a button that signs: a page can show that button without them.
 *
 * @throws DuedayError NETWORK_ERROR where the code can't be loaded
 */
export async function loadActions() {
  return import("@dueday/sdk/actions").catch((cause: unknown) => {
    throw new DuedayError("NETWORK_ERROR", "the code that signs could not be fetched", { cause });
  });
}
