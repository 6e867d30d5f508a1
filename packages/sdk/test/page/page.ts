import { createDueday } from "@dueday/sdk";
import { DuedayProvider, useDue, useEvents, useReadiness, useSubscribe } from "@dueday/sdk/react";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createElement as h } from "react";
import { createRoot } from "react-dom/client";
import { createConfig, custom, injected, useConnect, useConnection, useConnectors, WagmiProvider } from "wagmi";
import { foundry } from "wagmi/chains";

// The page of a merchant, bundled for a real browser by `inBrowser.test.ts`, which also injects `window.ethereum`.
const { baseUrl, contract, id } = window.settings;
const dueday = createDueday({ baseUrl, chainId: foundry.id });
const config = createConfig({
  chains: [foundry],
  connectors: [injected()],
  transports: { [foundry.id]: custom(window.ethereum) },
});

function Page() {
  const due = useDue({ frequency: 0 });
  const readiness = useReadiness();
  const { events, status } = useEvents({ types: ["payment.paid"] });
  const { mutate: subscribe, data, error } = useSubscribe();
  const { connect } = useConnect();
  const [connector] = useConnectors();
  const { address } = useConnection();
  return h(
    "main",
    null,
    h("p", { id: "due" }, due.data?.results[0]?.subscriptions.map((each) => each.tokenSymbol).join(" ")),
    h("p", { id: "transactions" }, readiness.data?.expectedTransactions),
    h("p", { id: "events" }, events.map(({ seq }) => seq).join(" ")),
    h("p", { id: "stream" }, status),
    h("p", { id: "account" }, address),
    h("button", { type: "button", id: "connect", onClick: () => connect({ connector }) }),
    h("button", { type: "button", id: "subscribe", onClick: () => subscribe({ id }) }),
    h("p", { id: "receipts" }, data?.receipts.length),
    h("p", { id: "error" }, error?.message),
  );
}

createRoot(document.body).render(
  h(
    WagmiProvider,
    { config },
    h(QueryClientProvider, { client: new QueryClient() }, h(DuedayProvider, { dueday, contract }, h(Page))),
  ),
);
