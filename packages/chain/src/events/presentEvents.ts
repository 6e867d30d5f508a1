import type { RawLog } from "@dueday/core/events/decodeEvent";
import type { EventView } from "@dueday/core/events/eventView";
import type { Address } from "viem";
import type { TokenInfos } from "../reads/readTokenInfos";

/** Decoded events of the contract and of the known tokens, in order; other logs are left out. */
export function presentEvents(_parameters: {
  logs: readonly RawLog[];
  contract: Address;
  tokens: TokenInfos;
}): EventView[] {
  throw new Error("not built yet");
}
