import { amountFields } from "@dueday/core/amounts/tokenAmount";
import type { EventView } from "@dueday/core/events/eventView";
import type { AssetChange, Simulation } from "@dueday/core/schemas/prepareAnswer";
import { type Address, zeroAddress } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { expectProtocolEvents, presentEvents } from "../events/presentEvents";
import { tokensOfLogs } from "../events/tokensOfLogs";
import { readTokenInfos } from "../reads/readTokenInfos";
import type { SimulatedCall } from "../simulate/parseSimulation";
import type { BatchSimulation } from "../simulate/simulateBatch";

export type PresentSimulationParameters = {
  method: BatchSimulation["method"];
  calls: readonly SimulatedCall[];
  contract: Address;
  block: ChainBlock;
};

/** A simulation as prepare answers show it: events decoded, with the net changes of balances. */
export async function presentSimulation(
  client: ChainClient,
  { method, calls, contract, block }: PresentSimulationParameters,
): Promise<Simulation> {
  const logs = calls.flatMap((call) => call.logs);
  expectProtocolEvents(logs, contract, "eth_simulateV1");
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

/** Removes ids of new subscriptions: such an id depends on the time of the block that will contain the transaction. */
function withoutNewIds(events: readonly EventView[]): EventView[] {
  const created = new Set(events.filter((event) => event.eventName === "Create").map((event) => event.id));
  return events.map((event) => (event.id !== undefined && created.has(event.id) ? { ...event, id: null } : event));
}

type Balance = { account: Address; token: Address; symbol: string; decimals: number; units: bigint };

/** Net change of each account and token by the Transfers among `events`, without changes of 0 and without the zero address. */
function assetChanges(events: readonly EventView[]): AssetChange[] {
  const balances = new Map<string, Balance>();
  for (const { eventName, token, tokenSymbol = "", tokenDecimals = 0, amountRaw, from, to } of events) {
    if (eventName !== "Transfer" || token === undefined || amountRaw === undefined) continue;
    const move = (account: Address | undefined, units: bigint) => {
      if (account === undefined || account === zeroAddress) return;
      const key = `${account}:${token}`;
      const known = balances.get(key) ?? { account, token, symbol: tokenSymbol, decimals: tokenDecimals, units: 0n };
      balances.set(key, { ...known, units: known.units + units });
    };
    move(from, -BigInt(amountRaw));
    move(to, BigInt(amountRaw));
  }
  return [...balances.values()]
    .filter(({ units }) => units !== 0n)
    .map(({ account, token, symbol, decimals, units }) => ({
      account,
      token,
      symbol,
      ...amountFields(units < 0n ? -units : units, decimals),
      direction: units < 0n ? "out" : "in",
    }));
}
