import { type Address, numberToHex } from "viem";
import type { EmittedLog } from "./emitter";

const TOKEN: Address = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";

/** `events` events of `subscriptions` subscriptions, with event types in the proportions of a contract in use. */
export function createEvents({ events, subscriptions }: { events: number; subscriptions: number }): EmittedLog[] {
  const every = events / subscriptions;
  return Array.from({ length: events }, (_, index) => {
    const isNew = index % every === 0;
    const created = Math.floor(index / every);
    const code = isNew ? 0 : ([6, 5, 2, 8, 2, 5, 7, 4][index % 8] ?? 6);
    // A PROVREFUND follows its account's UNSUBSCRIBED: otherwise it means a removal, whose receipt is needed.
    const account = code === 4 ? index - 1 : index;
    const subscription = isNew ? created : (account * 7_919) % (created + 1);
    return {
      id: numberToHex((BigInt(subscription + 1) * 0x9e3779b97f4a7c15n) % 2n ** 64n, { size: 32 }),
      provider: numberToHex(1_000 + (subscription % 100), { size: 20 }),
      subscriber: numberToHex(isNew ? 0 : 10_000 + ((account * 31) % 3_000), { size: 20 }),
      timestamp: 1_700_000_000 + index,
      amount: BigInt(index) * 10n ** 12n,
      token: TOKEN,
      code,
    };
  });
}
