import { describe, expectTypeOf, test } from "bun:test";
import type { ErrorCode } from "@dueday/core/errors";
import type { RemitReadiness } from "@dueday/core/snapshots/remitReadiness";
import { createDueday, DuedayError, type DuedayErrorCode } from "@dueday/sdk";

/** Checked by `tsc`; nothing here is sent anywhere. */
const dueday = createDueday({ baseUrl: "http://service.invalid", fetch: async () => Response.json({}) });

describe("what the service would refuse does not compile", () => {
  test("names of operations", () => {
    // @ts-expect-error The name is misspelled: the service has no operation getSubscriptionDue.
    expectTypeOf(dueday.getSubscriptionDue).toBeAny();
    expectTypeOf(dueday).toHaveProperty("getSubscriptionsDue");
  });

  test("inputs: a missing one, a wrong type, an unknown key", () => {
    async () => {
      // @ts-expect-error The input is required, because it has the id.
      await dueday.getSubscription();
      // @ts-expect-error The id is required.
      await dueday.getSubscription({});
      // @ts-expect-error An id is text, not a number.
      await dueday.getSubscription({ id: 7 });
      // @ts-expect-error The input has dayNumber, and no key day.
      await dueday.getSubscriptionsDue({ day: 5 });
      await dueday.getSubscriptionsDue({ dayNumber: 5, frequency: undefined });
      await dueday.getRemitReadiness();
    };
  });

  test("files: a list that the service does not write as one, a page of one, a missing input", () => {
    async () => {
      // @ts-expect-error The status is not a list.
      await dueday.csv.getStatus();
      // @ts-expect-error A file has no pages.
      await dueday.csv.getSubscriptionHistory({ id: "0x12", first: 10 });
      // @ts-expect-error The id is required.
      await dueday.csv.getSubscriptionHistory();
      expectTypeOf(await dueday.csv.listRemitHistory()).toEqualTypeOf<string>();
    };
  });

  test("codes of errors", () => {
    const error: unknown = null;
    DuedayError.is(error, "NOT_READY", "NETWORK_ERROR");
    // @ts-expect-error The code is misspelled: the service has no code NOT_REDY.
    DuedayError.is(error, "NOT_REDY");
    if (DuedayError.is(error, "NOT_READY")) expectTypeOf(error.code).toEqualTypeOf<"NOT_READY">();
    expectTypeOf<Exclude<DuedayErrorCode, ErrorCode>>().toEqualTypeOf<
      "NETWORK_ERROR" | "TIMEOUT" | "INVALID_ANSWER" | "REFUSED" | "TRANSACTION_FAILED" | "WALLET_FAILED"
    >();
  });
});

test("an answer has the type of the operation's schema", () => {
  type Readiness = Awaited<ReturnType<typeof dueday.getRemitReadiness>>;
  expectTypeOf<Readiness["plan"]>().toEqualTypeOf<RemitReadiness["plan"]>();
  expectTypeOf<Readiness["asOf"]["source"]>().toEqualTypeOf<"snapshot" | "live">();
});

test("a prepare answers with what is to be signed; with readinessOnly, or where it is not known, with the other form or both", () => {
  const from = "0x1111111111111111111111111111111111111111";
  async () => {
    const [transaction] = (await dueday.prepareRemit({ from })).unsignedTransactions;
    expectTypeOf(transaction?.data).toEqualTypeOf<`0x${string}` | undefined>();
    expectTypeOf((await dueday.prepareRemit({ from, readinessOnly: true })).ready).toEqualTypeOf<boolean>();
    const either = await dueday.prepareRemit({ from, readinessOnly: Math.random() > 2 });
    // @ts-expect-error Nothing is to be signed where readinessOnly was true.
    either.unsignedTransactions;
  };
});

test("ids, addresses and hashes are 0x text, and a frequency is one of four numbers, in answers and inputs", () => {
  async () => {
    const { results } = await dueday.getSubscriptionsDue({ frequency: 1 });
    const [row] = results.flatMap(({ subscriptions }) => subscriptions);
    expectTypeOf(row?.id).toEqualTypeOf<`0x${string}` | undefined>();
    expectTypeOf(row?.frequency).toEqualTypeOf<0 | 1 | 2 | 3 | undefined>();
    // @ts-expect-error There is no frequency 4.
    await dueday.getSubscriptionsDue({ frequency: 4 });
    // @ts-expect-error An id begins with 0x.
    await dueday.getSubscription({ id: "12" });
  };
});
