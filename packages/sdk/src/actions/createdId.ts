import { protocolAbi } from "@dueday/core/abi/protocol";
import { type Address, decodeEventLog, type Hex, isAddressEqual } from "viem";
import { DuedayError } from "../http/duedayError";
import type { ActionReceipt } from "./sendTransactions";

/** The id of the subscription that the provider's transaction created. @throws DuedayError TRANSACTION_FAILED where it created none */
export function createdId(
  receipts: readonly ActionReceipt[],
  { contract, from }: { contract: Address; from: Address },
): Hex {
  for (const log of receipts.flatMap(({ logs }) => logs)) {
    if (!isAddressEqual(log.address, contract)) continue;
    const created = readCreate(log);
    if (created !== null && isAddressEqual(created.provider, from)) return created.id;
  }
  throw new DuedayError("TRANSACTION_FAILED", "The transaction was mined without creating a subscription");
}

/** Code of SubLog for a new subscription. */
const CREATE = 0;

function readCreate({ topics, data }: ActionReceipt["logs"][number]): { id: Hex; provider: Address } | null {
  const [signature, ...indexed] = topics;
  if (signature === undefined) return null;
  try {
    const { args } = decodeEventLog({ abi: protocolAbi, eventName: "SubLog", topics: [signature, ...indexed], data });
    return args.subScriptEvent === CREATE ? args : null;
  } catch {
    // Another event of the contract.
    return null;
  }
}
