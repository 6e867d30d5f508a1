import { createDueday } from "@dueday/sdk";
import { DuedayProvider } from "@dueday/sdk/react";
import { QueryClientProvider } from "@tanstack/react-query";
import { useRouteContext, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { getAddress } from "viem";
import { BlockFloorContext } from "./config/BlockFloorContext";
import { ChainContext, type Installation } from "./config/ChainContext";
import { createBlockFloor } from "./config/createBlockFloor";
import { createQueryClient } from "./config/createQueryClient";
import { LiveEvents } from "./live/LiveEvents";
import { Shell } from "./shell/Shell";
import { UnknownChain } from "./states/UnknownChain";

/** The whole app for the chain that the address names, with the client and the query cache of that chain. */
export function Root() {
  const { chainId } = useSearch({ from: "__root__" });
  const { config } = useRouteContext({ from: "__root__" });
  const wanted = chainId ?? config.defaultChainId;
  const chain = config.chains.find((each) => each.chainId === wanted);
  if (chain === undefined) return <UnknownChain wanted={wanted} config={config} />;
  return <ChainRoot key={chain.chainId} config={config} chain={chain} />;
}

function ChainRoot({ config, chain }: Installation) {
  const [floor] = useState(() => createBlockFloor());
  const [dueday] = useState(() =>
    createDueday({ baseUrl: location.origin, chainId: chain.chainId, minBlock: floor.get }),
  );
  const [queryClient] = useState(createQueryClient);
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
