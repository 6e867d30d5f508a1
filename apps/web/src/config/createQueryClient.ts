import { DuedayError } from "@dueday/sdk";
import { renewQueries } from "@dueday/sdk/react";
import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";

/** Events renew answers. An answer that is older than this is also requested again when a page shows it. */
const STALE_MS = 60_000;

/** The pages' query cache. When an answer shows that the portal's session has ended, the session is read again, and the pages offer to sign in. */
export function createQueryClient(): QueryClient {
  const onError = (error: Error) => {
    if (DuedayError.is(error, "SESSION_REQUIRED", "UNAUTHORIZED", "LANE_REQUIRED"))
      void renewQueries(queryClient, ["getPortalSession"]);
  };
  const queryClient = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    // "always": a browser that is offline shows an error instead of waiting silently.
    defaultOptions: { queries: { staleTime: STALE_MS, networkMode: "always" } },
  });
  return queryClient;
}
