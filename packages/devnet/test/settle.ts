import { encodeRemit } from "@dueday/core/calldata/encodeRemit";
import { decodeProtocolEvent } from "@dueday/core/events/decodeProtocolEvent";
import { subLogCode } from "@dueday/core/events/subLogEvents";
import { send, TransactionReverted } from "@dueday/devnet/send";
import type { Devnet } from "@dueday/devnet/startDevnet";
import type { Hex } from "viem";

export type Settled = {
  /** By day number: transactions that settled a part of the day, and payments (including failures). */
  days: Map<number, { transactions: number; payments: number }>;
  payments: number;
  failures: number;
  /** Ids with at least one payment. */
  ids: Set<Hex>;
};

/** Calls remit() until it reverts, and counts its events. */
export async function settle({ client, contract, keeper }: Devnet): Promise<Settled> {
  const settled: Settled = { days: new Map(), payments: 0, failures: 0, ids: new Set() };
  for (;;) {
    const receipt = await send(client, { from: keeper.address, to: contract, data: encodeRemit() }).catch((error) => {
      if (error instanceof TransactionReverted) return null;
      throw error;
    });
    if (!receipt) return settled;
    let payments = 0;
    for (const event of receipt.logs.map(decodeProtocolEvent)) {
      if (event?.event === "Coordinates") {
        payments++;
        settled.ids.add(event.id);
      }
      if (event?.event === "SubLog" && event.code === subLogCode.Failed) settled.failures++;
      if (event?.event === "CallerLog") {
        const day = settled.days.get(event.checkedDay) ?? { transactions: 0, payments: 0 };
        settled.days.set(event.checkedDay, {
          transactions: day.transactions + 1,
          payments: day.payments + payments,
        });
      }
    }
    settled.payments += payments;
  }
}
