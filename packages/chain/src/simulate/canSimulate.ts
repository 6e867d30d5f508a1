import { zeroAddress } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { explainRefusal } from "../client/explainRefusal";
import { readOnce } from "../client/readOnce";
import { RpcRefusal } from "../client/rpcOutcome";
import { requestSimulation } from "./simulateCalls";

/** Whether the chain's node has a working eth_simulateV1: tried once in five minutes, with a call that does nothing. */
export async function canSimulate(client: ChainClient, { block }: { block: ChainBlock }): Promise<boolean> {
  const call = { from: zeroAddress, to: zeroAddress, data: "0x", gas: 50_000n } as const;
  try {
    return await readOnce(client, "eth_simulateV1", async () => {
      try {
        const [result] = await requestSimulation(client, { calls: [call], block });
        return result?.success === true;
      } catch (error) {
        if (error instanceof RpcRefusal) return false;
        throw error;
      }
    });
  } catch (error) {
    throw explainRefusal(error);
  }
}
