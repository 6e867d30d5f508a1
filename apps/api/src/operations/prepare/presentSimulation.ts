import type { ChainBlock } from "@dueday/chain/block/chainBlock";
import type { ChainClient } from "@dueday/chain/client/createChainClient";
import { presentEvents } from "@dueday/chain/events/presentEvents";
import { readTokenInfos } from "@dueday/chain/reads/readTokenInfos";
import { canSimulate } from "@dueday/chain/simulate/canSimulate";
import type { SimulatedCall } from "@dueday/chain/simulate/parseSimulation";
import { decodeTokenEvent } from "@dueday/core/events/decodeEvent";
import type { Address } from "viem";
import type { Simulation } from "../../schema/prepareAnswer";
import { assetChanges } from "./assetChanges";

export type PresentSimulationParameters = {
  calls: readonly SimulatedCall[];
  contract: Address;
  /** The signing wallet, checksummed. */
  from: Address;
  block: ChainBlock;
};

/** A simulation as prepare answers show it: events decoded, and what they move for the signing wallet. */
export async function presentSimulation(
  client: ChainClient,
  { calls, contract, from, block }: PresentSimulationParameters,
): Promise<Simulation> {
  const logs = calls.flatMap((call) => call.logs);
  const emitters = new Set(logs.filter((log) => decodeTokenEvent(log) !== null).map((log) => log.address));
  const tokens = await readTokenInfos(client, { contract, tokens: [...emitters], block });
  return {
    success: calls.every((call) => call.success),
    method: (await canSimulate(client, { block })) ? "eth_simulateV1" : "eth_call",
    blockNumber: block.number.toString(),
    results: calls.map((call) => {
      const events = presentEvents({ logs: call.logs, contract, tokens });
      return {
        success: call.success,
        gasUsed: call.gasUsed.toString(),
        logs: events,
        assetChanges: assetChanges(events, from),
      };
    }),
  };
}
