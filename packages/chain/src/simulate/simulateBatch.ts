import { type Address, type Hex, numberToHex } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { callOnce, GAS_PER_CALL } from "./callOnce";
import { canSimulate } from "./canSimulate";
import { findAllowanceSlot } from "./findAllowanceSlot";
import type { SimulatedCall } from "./parseSimulation";
import type { StateOverrides } from "./repeatCall";
import { simulateCalls } from "./simulateCalls";

/** The allowance that a call leaves: `value` token units of `token` for `spender`. */
export type Approval = { token: Address; spender: Address; value: bigint };

export type BatchCall = {
  to: Address;
  data: Hex;
  /** Gas limit; by default 12 million, or an equal share of a small block; where the calls run by eth_call, the node's own. */
  gas?: bigint;
  /** Present on an approve(). */
  approves?: Approval;
};

/** Where a call's gas comes from: a simulation in sequence, the node's estimate, or a figure that usually suffices. */
export type GasSource = "simulated" | "estimated" | "heuristic";

export type BatchResult = SimulatedCall & { gasSource: GasSource };

/**
 * How the batch was simulated. `eth_simulateV1`: one after another on one state. `eth_call`: each alone, on a state with the
 * allowance that the calls before it leave. `rules`: at least one call could not be run, and is assumed to succeed because it
 * violates no rule of the protocol.
 */
export type BatchSimulation = { method: "eth_simulateV1" | "eth_call" | "rules"; results: BatchResult[] };

export type SimulateBatchParameters = { from: Address; calls: readonly BatchCall[]; block: ChainBlock };

/** A wallet's first subscription, with a margin. */
const USUAL_GAS = 450_000n;

/** Tries the transactions of one wallet, in their order, on the state after `block`. Throws ServiceError UPSTREAM_*. */
export async function simulateBatch(
  client: ChainClient,
  { from, calls, block }: SimulateBatchParameters,
): Promise<BatchSimulation> {
  if (!(await canSimulate(client, { block }))) return callInTurn(client, { from, calls, block });
  const share = block.gasLimit / BigInt(calls.length);
  const gas = share < GAS_PER_CALL ? share : GAS_PER_CALL;
  const results = await simulateCalls(client, {
    calls: calls.map((call) => ({ from, to: call.to, data: call.data, gas: call.gas ?? gas })),
    block,
  });
  return { method: "eth_simulateV1", results: results.map((result) => ({ ...result, gasSource: "simulated" })) };
}

async function callInTurn(client: ChainClient, parameters: SimulateBatchParameters): Promise<BatchSimulation> {
  const { from, calls, block } = parameters;
  const results: BatchResult[] = [];
  let method: BatchSimulation["method"] = "eth_call";
  let approval: Approval | undefined;
  for (const { to, data, gas, approves } of calls) {
    const overrides = approval && (await allowanceOverride(client, { owner: from, approval, block }));
    if (overrides === null) {
      method = "rules";
      results.push(untried());
    } else {
      const called = await callOnce(client, {
        from,
        to,
        data,
        block,
        ...(gas === undefined ? {} : { gas }),
        ...(overrides === undefined ? {} : { overrides }),
      });
      results.push(withGas(called));
      if (!called.success) break;
    }
    approval = approves ?? approval;
  }
  return { method, results };
}

async function allowanceOverride(
  client: ChainClient,
  { owner, approval, block }: { owner: Address; approval: Approval; block: ChainBlock },
): Promise<StateOverrides | null> {
  const { token, spender, value } = approval;
  const slot = await findAllowanceSlot(client, { token, owner, spender, block });
  return slot && { [token]: { stateDiff: { [slot]: numberToHex(value, { size: 32 }) } } };
}

function withGas({ gasEstimated, ...called }: Awaited<ReturnType<typeof callOnce>>): BatchResult {
  if (gasEstimated || !called.success) return { ...called, gasSource: "estimated" };
  return { ...called, gasUsed: USUAL_GAS, gasSource: "heuristic" };
}

function untried(): BatchResult {
  return { success: true, gasUsed: USUAL_GAS, logs: [], returnData: "0x", outOfGas: false, gasSource: "heuristic" };
}
