import type { ChainClient } from "../client/createChainClient";

/** Whether the node has eth_simulateV1; asked once for each client. */
export async function canSimulate(_client: ChainClient): Promise<boolean> {
  throw new Error("not built yet");
}
