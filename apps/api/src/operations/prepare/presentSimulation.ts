import type { ChainBlock } from "@dueday/chain/block/chainBlock";
import type { ChainClient } from "@dueday/chain/client/createChainClient";
import { presentEvents } from "@dueday/chain/events/presentEvents";
import { tokensOfLogs } from "@dueday/chain/events/tokensOfLogs";
import { readTokenInfos } from "@dueday/chain/reads/readTokenInfos";
import type { SimulatedCall } from "@dueday/chain/simulate/parseSimulation";
import type { BatchSimulation } from "@dueday/chain/simulate/simulateBatch";
import type { EventView } from "@dueday/core/events/eventView";
import type { Address } from "viem";
import { assetChanges } from "./assetChanges";
import type { Simulation } from "./prepareAnswer";

export type PresentSimulationParameters = {
  method: BatchSimulation["method"];
  calls: readonly SimulatedCall[];
  contract: Address;
  block: ChainBlock;
};

/** A simulation as prepare answers show it: events decoded, and what they move. */
export async function presentSimulation(
  client: ChainClient,
  { method, calls, contract, block }: PresentSimulationParameters,
): Promise<Simulation> {
  const logs = calls.flatMap((call) => call.logs);
  const tokens = await readTokenInfos(client, { contract, tokens: tokensOfLogs(logs, contract), block });
  return {
    success: calls.every((call) => call.success),
    method,
    blockNumber: block.number.toString(),
    results: calls.map((call) => {
      const events = withoutNewIds(presentEvents({ logs: call.logs, contract, tokens }));
      return {
        success: call.success,
        gasUsed: call.gasUsed.toString(),
        logs: events,
        assetChanges: assetChanges(events),
      };
    }),
  };
}

/** The id of a subscription that is being created depends on the time of the block that will hold it. */
function withoutNewIds(events: readonly EventView[]): EventView[] {
  const created = new Set(events.filter((event) => event.eventName === "Create").map((event) => event.id));
  return events.map((event) => (event.id !== undefined && created.has(event.id) ? { ...event, id: null } : event));
}
