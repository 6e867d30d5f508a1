import { Address, Bytes32 } from "@dueday/core/schema";
import type { Hex } from "viem";
import { inPath } from "../operation/defineOperation";

/** The `:address` of a path. */
export const accountAddress = inPath({ ...Address, description: "The account, as subscriber or provider" });

/** The `:id` of a path. */
export const subscriptionId = inPath({ ...Bytes32, description: "Id of a subscription" });

/** A checked id in lower case, as the contract and every answer have it. */
export function toId(checked: string): Hex {
  return checked.toLowerCase() as Hex; // the schema's pattern is that of a hex text
}
