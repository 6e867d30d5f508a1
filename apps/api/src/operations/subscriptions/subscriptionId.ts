import { ServiceError } from "@dueday/core/errors";
import { Bytes32 } from "@dueday/core/schema";
import type { Hex } from "viem";
import type { ServedChain } from "../../chains/servedChain";
import { inPath } from "../../operation/defineOperation";

/** The `:id` of a path. */
export const subscriptionId = inPath({ ...Bytes32, description: "Id of a subscription" });

/** A checked id as the contract and every answer have it: lower case. */
export function toId(checked: string): Hex {
  return checked.toLowerCase() as Hex; // the schema's pattern is that of a hex text
}

export function unknownSubscription({ config }: ServedChain, id: Hex): ServiceError {
  const message = `No subscription has the id ${id} on chain ${config.chainId}; check the id and the chain`;
  return new ServiceError("NOT_FOUND", message, { issues: [{ code: "UNKNOWN_ID", path: "id", message }] });
}
