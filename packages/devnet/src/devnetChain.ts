import { defineChain } from "viem";
import { DEVNET_CHAIN_ID } from "./startAnvil";

/**
 * The chain of a devnet for viem. Not the one of `viem/chains`, because its import loads the modules of all chains,
 * which takes a tenth of a second.
 */
export const devnetChain = defineChain({
  id: DEVNET_CHAIN_ID,
  name: "Devnet",
  nativeCurrency: { decimals: 18, name: "Ether", symbol: "ETH" },
  rpcUrls: { default: { http: ["http://127.0.0.1:8545"] } },
});
