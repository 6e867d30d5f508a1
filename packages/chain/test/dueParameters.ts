import type { Address } from "viem";
import { createRemitStateCache } from "../src/remit/state/createRemitStateCache";

/** A caller without tokens. */
const CALLER: Address = "0x00000000000000000000000000000000000d0eda";

/** Parameters of `readDueDays` besides contract, days and block, without an event index. */
export function dueParameters(contract: Address) {
  return {
    from: CALLER,
    stateCache: createRemitStateCache(contract),
    onAlarm(alarm: { kind: string }): never {
      throw new Error(`the plan raises an alarm: ${alarm.kind}`);
    },
  };
}
