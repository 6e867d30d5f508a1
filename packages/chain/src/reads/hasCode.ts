import type { Address } from "viem";
import type { ChainClient } from "../client/createChainClient";
import { RpcRefusal } from "../client/rpcOutcome";
import { upstreamError } from "../client/upstreamError";

/** Whether there is a contract at `address`. Every node can answer this, so a refusal is a failure of the node. Throws ServiceError UPSTREAM_*. */
export async function hasCode(client: ChainClient, address: Address): Promise<boolean> {
  try {
    const code = await client.rpc("eth_getCode", [address, "latest"]);
    return typeof code === "string" && code.length > 2;
  } catch (error) {
    if (error instanceof RpcRefusal) throw upstreamError({ kind: "node_error" }, "eth_getCode");
    throw error;
  }
}
