import { createDueday } from "@dueday/sdk";
import { DuedayProvider, useDuedayQuery, useSubscribe } from "@dueday/sdk/react";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createRoot } from "react-dom/client";
import { createConfig, http, injected, WagmiProvider } from "wagmi";
import { foundry } from "wagmi/chains";

const service = new URLSearchParams(location.search).get("service") ?? "";
const config = createConfig({ chains: [foundry], connectors: [injected()], transports: { [foundry.id]: http() } });
const dueday = createDueday({ baseUrl: service });

function Plan() {
  const { data } = useDuedayQuery("searchSubscriptions", { cancelled: false, first: 1 });
  const [plan] = data?.subscriptions ?? [];
  const preparing = useDuedayQuery("prepareRemit", plan === undefined ? null : { from: plan.provider });
  const { mutate: subscribe, error } = useSubscribe();
  if (plan === undefined) return null;
  return (
    <main>
      <p id="plan">
        {plan.amount} {plan.tokenSymbol}
      </p>
      <p id="calldata">{preparing.data?.unsignedTransactions[0]?.data}</p>
      <button type="button" onClick={() => subscribe({ id: plan.id, approvalPeriods: 12 })}>
        Subscribe
      </button>
      <p id="error">{error?.code}</p>
    </main>
  );
}

const root = document.getElementById("root");
if (root === null) throw new Error("the page has no element with the id root");
createRoot(root).render(
  <WagmiProvider config={config}>
    <QueryClientProvider client={new QueryClient()}>
      <DuedayProvider dueday={dueday}>
        <Plan />
      </DuedayProvider>
    </QueryClientProvider>
  </WagmiProvider>,
);
