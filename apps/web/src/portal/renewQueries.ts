import type { OperationName } from "@dueday/sdk";
import { DUEDAY_KEY } from "@dueday/sdk/react";
import type { QueryClient } from "@tanstack/react-query";

/**
 * Asks again for the answers of operations after a change. A first answer that is on its way may be of before the change, and would not
 * be asked for again by `invalidateQueries` alone.
 */
export async function renewQueries(queryClient: QueryClient, names: readonly OperationName[]): Promise<void> {
  const renewed = names.map(async (name) => {
    const changed = { queryKey: [DUEDAY_KEY, name] };
    await queryClient.cancelQueries(changed);
    await queryClient.invalidateQueries(changed);
  });
  await Promise.all(renewed);
}
