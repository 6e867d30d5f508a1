import { decodeRevert } from "@dueday/core/reverts/decodeRevert";
import { type Address, BaseError, type Hex, isHex } from "viem";
import type { DevnetClient } from "../client";
import { send } from "../send";
import { describeLogs } from "./describeLogs";
import { encodeCall } from "./encodeCall";
import type { CallStep, RecordedLog } from "./scenario";
import type { ReplayContext } from "./setUp";

export type Outcome = { ok: true; logs: RecordedLog[] } | { ok: false; revert: string };

type Call = { from: Address; to: Address; data: Hex };

/**
 * Makes the call of a step and returns its outcome. A call that is recorded as reverted is made by `eth_call` on the latest
 * block, because a reverted step mines no block.
 */
export async function runCall(step: CallStep, context: ReplayContext): Promise<Outcome> {
  const { client, contract, names } = context;
  const call = { from: names.addressOf(step.by), to: contract, data: encodeCall(step, names) };
  if (!step.ok) return callOnly(client, call);

  const receipt = await send(client, { ...call, at: step.at });
  const [first] = receipt.logs;
  if (step.op === "createSubscription" && step.as !== undefined && first?.topics[1]) {
    names.add(step.as, first.topics[1]);
  }
  return { ok: true, logs: describeLogs(receipt.logs, context) };
}

async function callOnly(client: DevnetClient, call: Call): Promise<Outcome> {
  try {
    await client.request({ method: "eth_call", params: [call, "latest"] });
    return { ok: true, logs: [] };
  } catch (error) {
    return { ok: false, revert: decodeRevert(revertData(error)).code };
  }
}

/** @throws `error` itself if it is not a revert */
export function revertData(error: unknown): Hex {
  const cause = error instanceof BaseError ? error.walk((each) => each instanceof Error && "data" in each) : null;
  if (cause && "data" in cause && isHex(cause.data)) return cause.data;
  throw error;
}
