import type { ServedChain } from "@dueday/api/chains/servedChain";
import { type Exchange, openExchange } from "@dueday/api/http/exchange";
import { respondError } from "@dueday/api/http/respond";

/** An exchange that no server opened, for what reads its facts: it has no chain. */
export function createTestExchange(facts: Partial<Exchange> = {}): Exchange {
  return {
    ...openExchange({
      request: new Request("http://localhost/"),
      path: "/",
      peers: { requestIP: () => null, timeout: () => {} },
      chain: null as unknown as ServedChain,
      renderError: respondError,
    }),
    ...facts,
  };
}
