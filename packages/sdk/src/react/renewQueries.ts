import type { Query, QueryClient } from "@tanstack/react-query";
import type { OperationName } from "../operationTypes";
import { DUEDAY_KEY } from "./useDuedayQuery";

/**
 * Requests the shown answers again after a change that the hooks do not see, and resolves when they have arrived. A query's first request that
 * is on its way may return what was before the change, and `invalidateQueries` alone keeps that answer: such a query is requested again when
 * its first answer has arrived.
 *
 * @param names The operations that the change concerns. Default: all.
 * @example
 * await renewQueries(queryClient, ["getAccountHealth"]);
 */
export async function renewQueries(queryClient: QueryClient, names?: readonly OperationName[]): Promise<void> {
  const isConcerned = ({ queryKey: [first, name] }: Query) =>
    first === DUEDAY_KEY && (names === undefined || names.some((each) => each === name));
  const early = queryClient
    .getQueryCache()
    .findAll({ fetchStatus: "fetching", predicate: (query) => isConcerned(query) && query.state.data === undefined });
  await queryClient.invalidateQueries({ predicate: isConcerned });
  if (early.length > 0) await queryClient.invalidateQueries({ predicate: (query) => early.includes(query) });
}
