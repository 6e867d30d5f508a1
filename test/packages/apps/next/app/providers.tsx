"use client";

import { createDueday } from "@dueday/sdk";
import { DuedayProvider } from "@dueday/sdk/react";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { createConfig, http, WagmiProvider } from "wagmi";
import { foundry } from "wagmi/chains";

const config = createConfig({ chains: [foundry], transports: { [foundry.id]: http() }, ssr: true });

export function Providers({ children }: { children: ReactNode }) {
  const [queryClient] = useState(() => new QueryClient());
  const [dueday] = useState(() => createDueday({ baseUrl: "/dueday" }));
  return (
    <WagmiProvider config={config}>
      <QueryClientProvider client={queryClient}>
        <DuedayProvider dueday={dueday}>{children}</DuedayProvider>
      </QueryClientProvider>
    </WagmiProvider>
  );
}
