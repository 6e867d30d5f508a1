import { describe, expect, test } from "bun:test";
import { type Issue, ServiceError } from "@dueday/core/errors";
import type { TSchema } from "@sinclair/typebox";
import { operations } from "../operations/operations";
import { checkInput } from "./checkInput";

const operationOf = (name: string) => {
  const operation = operations.find((each) => each.name === name);
  if (operation === undefined) throw new Error(`unknown operation ${name}`);
  return operation;
};

/** The issues of the example of an operation with these values instead. */
function issuesOf(name: string, values: Record<string, unknown>): Issue[] {
  const operation = operationOf(name);
  try {
    checkInput(operation, { values: { ...operation.example, ...values }, issues: [] });
  } catch (error) {
    if (error instanceof ServiceError) return error.issues ?? [];
    throw error;
  }
  return [];
}

const messageOf = (name: string, values: Record<string, unknown>) => issuesOf(name, values)[0]?.message;

describe("a message", () => {
  test("of an amount names the type, with an example, and what was sent", () => {
    const wanted = 'must be a decimal number of whole tokens as a string, such as "12.5"';
    expect(messageOf("prepare_create_subscription", { amount: 12.5 })).toStartWith(wanted);
    expect(messageOf("prepare_create_subscription", { amount: 12.5 })).toEndWith("not a fraction");
    const subscription = { ...Object(operationOf("prepare_subscribe").example).subscription, amount: 12 };
    expect(messageOf("prepare_subscribe", { subscription })).toBe(`${wanted}, not a number`);
  });

  test("of a dueDay has the bound of the frequency that was sent, and all bounds where none was", () => {
    const create = (frequency: unknown) => messageOf("prepare_create_subscription", { frequency, dueDay: 400 });
    expect(["weekly", "monthly", "quarterly", "yearly"].map((_, frequency) => create(frequency))).toEqual([
      "must be an integer, 1..7 for weekly",
      "must be an integer, 1..28 for monthly",
      "must be an integer, 1..90 for quarterly",
      "must be an integer, 1..365 for yearly",
    ]);
    const issues = issuesOf("prepare_create_subscription", { frequency: 7, dueDay: 400 });
    expect(issues.find(({ path }) => path === "dueDay")?.message).toContain("1..28 for monthly");
    const subscription = { ...Object(operationOf("prepare_subscribe").example).subscription, dueDay: 0 };
    expect(messageOf("prepare_subscribe", { subscription })).toBe("must be an integer, 1..28 for monthly");
  });

  test("of a length names it, with its bound and unit", () => {
    const details = { url: "https://a.example/", description: "x".repeat(5_000) };
    expect(messageOf("prepare_edit_details", { details })).toBe(
      "must be a string of at most 4096 bytes of UTF-8; it has 5000 characters",
    );
    expect(messageOf("list_events", { types: [] })).toStartWith("must be a list of 1 to ");
  });

  test("of a choice lists what can be chosen", () => {
    expect(messageOf("get_remit_readiness", { detail: "compact" })).toBe('must be "summary" or "full"');
    expect(messageOf("list_webhook_deliveries", { id: crypto.randomUUID(), state: "sent" })).toBe(
      'must be "pending", "delivered", "failed" or "replaced"',
    );
  });

  test("of a value that may be null names the entry, or the bound, that is wrong", () => {
    const url = "https://a.example/hooks";
    const [entry] = issuesOf("create_webhook", { url, types: ["payment.paid", "payment.lost"] });
    expect(entry).toMatchObject({ code: "MALFORMED", path: "types.1" });
    expect(entry?.message).toStartWith("must be a type of event: subscription.created, ");
    expect(issuesOf("create_webhook", { url, types: [] })).toEqual([
      { code: "WRONG_LENGTH", path: "types", message: "must be a list of 1 to 15 event types; it has 0 entries" },
    ]);
    expect(messageOf("create_webhook", { url, types: 1 })).toBe("must be a list of 1 to 15 event types or null");
  });

  test("of a list with an entry twice names that", () => {
    expect(issuesOf("set_portal_reminders", { mailbox: "a@b.example", kinds: ["receipt", "receipt"] })).toEqual([
      { code: "REPEATED", path: "kinds", message: "must not have an entry twice" },
    ]);
  });

  test("of a text with a bound names the bound", () => {
    const atBlock = "1".repeat(16);
    expect(messageOf("search_subscriptions", { atBlock })).toBe(
      'must be a block number of at most 15 digits as a string, such as "32427185"; it has 16 characters',
    );
  });

  test("of a number as text has the bound of its digits", () => {
    const value = "9".repeat(79);
    expect(issuesOf("keep_permit", { value })[0]).toMatchObject({ code: "WRONG_LENGTH", path: "value" });
    expect(issuesOf("keep_permit", { value: value.slice(1) }).map(({ path }) => path)).not.toContain("value");
  });

  test("of a text of another form has the form, also where it is too long", () => {
    expect(issuesOf("get_account", { address: `0x${"1".repeat(41)}` })).toEqual([
      { code: "MALFORMED", path: "address", message: "must be an address: 0x and 40 hex digits" },
    ]);
  });

  test("of a key that is as long as a body names its beginning", () => {
    const [issue] = issuesOf("get_account", { [`${"k".repeat(60_000)}\n`]: 1 });
    expect(issue).toMatchObject({ code: "UNKNOWN_KEY", path: "k".repeat(200) });
  });

  test("of first names the cap, by lane for a search", () => {
    expect(messageOf("get_subscriptions_due", { first: 201 })).toBe("must be a whole number of entries, 1 to 200");
    expect(messageOf("search_subscriptions", { first: 0 })).toBe(
      "must be a whole number of entries: 1 to 10 on the free lane, 1 to 25 with a developer key",
    );
  });
});

/** Values that fit no schema of any field, or one of its bounds. */
const unfit: readonly unknown[] = [
  null,
  true,
  1.5,
  -1,
  1e300,
  "",
  "?",
  "\n",
  "x".repeat(70_000),
  [],
  ["?"],
  {},
  { url: 1 },
  { id: 1, dueDay: "5", amount: 1, frequency: 9 },
  Array(100).fill("?"),
];

/** What regular expressions have and sentences don't. */
const REGULAR_EXPRESSION = /\^|\(\?|\\[dwsupx]|\[[^\]]*[-0-9][^\]]*\]|\{\d+(,\d*)?\}|\$$/;

describe("every field of every operation is refused in words, without a regular expression:", () => {
  test.each(operations.map(({ name, input }) => [name, input] as const))("%s", (name, input) => {
    for (const [field, schema] of Object.entries<TSchema>(input.properties)) {
      const sent = [...unfit, ...Object.keys(schema.properties ?? {}).map((key) => ({ [key]: { odd: true } }))];
      for (const value of sent) {
        for (const { path, message } of issuesOf(name, { [field]: value })) {
          expect(`${name} ${path} ${message}`).not.toMatch(REGULAR_EXPRESSION);
          expect(`${name} ${path} ${message}`).not.toContain("another value");
          expect(message).toMatch(/^(must |is required: |is not a parameter|has )/);
        }
      }
    }
  });
});
