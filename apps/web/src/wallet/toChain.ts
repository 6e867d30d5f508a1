import { defineChain } from "viem";
import type { AppChain } from "../config/appConfig";

/** A chain of this installation as a chain of viem, with which wallets add it and clients are created. */
export function toChain({ chainId, name, explorerUrl, publicRpcUrl }: AppChain) {
  return defineChain({
    id: chainId,
    name,
    nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
    rpcUrls: { default: { http: publicRpcUrl === null ? [] : [publicRpcUrl] } },
    ...(explorerUrl !== null && { blockExplorers: { default: { name: "Explorer", url: explorerUrl } } }),
  });
}
