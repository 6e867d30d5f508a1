import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Address, Hex } from "viem";
import { ChangedMap } from "./changedMap";
import { HoldingTable } from "./holdingTable";
import type { RemitSubscription } from "./state";
import { SubscriptionTable } from "./subscriptionTable";

const key = fc.constantFrom("a", "b", "c", "d");
const changes = fc.array(fc.tuple(key, fc.option(fc.nat(5))));

test("a map after any changes is the plain map after them, and the maps before them stay as they were", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(key, fc.nat(5))), fc.array(changes), (start, rounds) => {
      const plain = new Map(start);
      const all: [ReadonlyMap<string, number>, Map<string, number>][] = [[new Map(start), new Map(plain)]];
      for (const round of rounds) {
        const [before] = all.at(-1) ?? [plain];
        for (const [name, value] of round) value === null ? plain.delete(name) : plain.set(name, value);
        all.push([new ChangedMap(before, new Map(round)), new Map(plain)]);
      }
      for (const [map, expected] of all) {
        expect(new Map(map)).toEqual(expected);
        expect([map.size, [...map.values()].length, [...map.keys()].length]).toEqual([
          expected.size,
          expected.size,
          expected.size,
        ]);
        for (const name of ["a", "b", "c", "d"])
          expect([map.get(name), map.has(name)]).toEqual([expected.get(name), expected.has(name)]);
      }
    }),
  );
});

test("a table returns each subscription and holding as it was added last, whatever the numbers are", () => {
  const amount = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });
  const account = fc.constantFrom<Address>("0x1", "0x2", "0x3");
  const subscription: fc.Arbitrary<RemitSubscription> = fc.record({
    id: fc.constantFrom<Hex>("0xa", "0xb", "0xc"),
    amount,
    provider: account,
    token: account,
    cancelled: fc.boolean(),
    frequency: fc.constantFrom(0, 1, 2, 3),
    dueDay: fc.nat(0xffff),
    subscribers: fc.array(fc.record({ subscriber: account, feeBalance: amount }), { maxLength: 2 }),
    unsubscribed: fc.array(account, { maxLength: 1 }),
  });
  fc.assert(
    fc.property(fc.array(subscription), fc.array(fc.tuple(account, amount, amount)), (subscriptions, held) => {
      const [table, holdings] = [new SubscriptionTable(), new HoldingTable()];
      for (const each of subscriptions) table.set(each);
      for (const [owner, balance, allowance] of held) holdings.set(owner, { balance, allowance });
      expect(new Map(table)).toEqual(new Map(subscriptions.map((each) => [each.id, each])));
      expect(new Map(holdings)).toEqual(
        new Map(held.map(([owner, balance, allowance]) => [owner, { balance, allowance }])),
      );
    }),
  );
});
