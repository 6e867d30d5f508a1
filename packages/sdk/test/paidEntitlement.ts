import type { Address, Hex } from "viem";
import type { Operations } from "../src/operationTypes";

type Entitlement = Operations["getEntitlement"]["output"];

/** The answer for an account that pays, with changes. */
export function paidEntitlement(
  { id, account }: { id: Hex; account: Address },
  changes: Partial<Entitlement> = {},
): Entitlement {
  return {
    chainId: 31_337,
    id,
    account,
    entitled: true,
    state: "active",
    since: "2026-09-01T00:00:00.000Z",
    lastPaymentAt: "2026-09-01T00:00:00.000Z",
    paidThroughDate: "2026-10-01",
    nextDueDate: "2026-10-02",
    coveredPayments: 12,
    failsOn: null,
    cause: null,
    asOf: {
      blockNumber: "1",
      blockHash: `0x${"11".repeat(32)}`,
      blockTimestamp: 1_790_000_000,
      computedAt: "2026-09-21T12:00:00.000Z",
      source: "snapshot",
      stale: false,
    },
    ...changes,
  };
}
