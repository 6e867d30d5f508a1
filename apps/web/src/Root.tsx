import { createDueday } from "@dueday/sdk";
import { DuedayProvider } from "@dueday/sdk/react";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { useRouteContext, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { getAddress } from "viem";
import { BlockFloorContext } from "./config/BlockFloorContext";
import { ChainContext, type Installation } from "./config/ChainContext";
import { createBlockFloor } from "./config/createBlockFloor";
import { LiveEvents } from "./live/LiveEvents";
import { Shell } from "./shell/Shell";
import { ErrorState } from "./states/ErrorState";

/** Answers are renewed by events; one that was left for longer is asked for again when it is shown. */
const STALE_MS = 60_000;

/** Everything below the address: the chain that it names, with its client and its memory. */
export function Root() {
  const { chainId } = useSearch({ from: "__root__" });
  const { config } = useRouteContext({ from: "__root__" });
  const wanted = chainId ?? config.defaultChainId;
  const chain = config.chains.find((each) => each.chainId === wanted);
  if (chain === undefined) {
    const served = config.chains.map(({ name, chainId: id }) => `${name} (${id})`).join(", ");
    return (
      <ErrorState error={new Error(`This service serves ${served}.`)} title={`Chain ${wanted} is not served here`} />
    );
  }
  return <ChainRoot key={chain.chainId} config={config} chain={chain} />;
}

function ChainRoot({ config, chain }: Installation) {
  const [floor] = useState(() => createBlockFloor());
  const [dueday] = useState(() =>
    createDueday({ baseUrl: location.origin, chainId: chain.chainId, minBlock: floor.get }),
  );
  // "always": a browser that is offline shows an error instead of waiting without a word.
  const [queryClient] = useState(
    () => new QueryClient({ defaultOptions: { queries: { staleTime: STALE_MS, networkMode: "always" } } }),
  );
  return (
    <QueryClientProvider client={queryClient}>
      <DuedayProvider dueday={dueday} contract={getAddress(chain.contract)}>
        <ChainContext config={config} chain={chain}>
          <BlockFloorContext floor={floor}>
            <LiveEvents>
              <Shell />
            </LiveEvents>
          </BlockFloorContext>
        </ChainContext>
      </DuedayProvider>
    </QueryClientProvider>
  );
}
