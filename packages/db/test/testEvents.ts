import type { NewDomainEvent } from "@dueday/core/domainEvents/domainEvent";
import type { Database } from "@dueday/db/connectDatabase";
import { appendEvents } from "@dueday/db/outbox/appendEvents";
import type { ContractScope } from "@dueday/db/schema/columns";
import { hex } from "./smallIndex";

/** A payment in a separate block; its subscriber is account `100 + number % 10`. */
export function testEvent(chainId: number, number: number): NewDomainEvent {
  const timestamp = 1_770_000_000 + number;
  const amount = { amount: "12.5", amountRaw: "12500000", tokenDecimals: 6 };
  return {
    id: `evt_${number.toString(16).padStart(32, "0")}`,
    type: "payment.paid",
    chainId,
    timestamp: new Date(timestamp * 1000).toISOString(),
    block: { number: String(number), hash: hex(number, 32), timestamp, finality: "latest", finalized: false },
    transactionHash: hex(number, 32),
    data: {
      id: hex(1, 32),
      provider: hex(1, 20),
      subscriber: hex(100 + (number % 10), 20),
      token: hex(7, 20),
      tokenSymbol: "USDC",
      kind: "recurring",
      charged: amount,
      toProvider: amount,
      toFeeBalance: amount,
      dayNumber: 20_000,
    },
  };
}

/** Appends `count` test events from `first` on, in one transaction. */
export async function appendTestEvents(
  database: Database,
  scope: ContractScope,
  { first, count }: { first: number; count: number },
): Promise<void> {
  const events = Array.from({ length: count }, (_, index) => ({ event: testEvent(scope.chainId, first + index) }));
  await database.sql.begin((sql) => appendEvents(sql, scope, events, new Date()));
}
