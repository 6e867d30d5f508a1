import { dayToDate } from "@dueday/core/calendar/dates";
import { lastDueDay, toFrequency } from "@dueday/core/calendar/frequency";
import { toLowerCase } from "@dueday/core/text/toLowerCase";
import { createMailSecrets } from "@dueday/db/reminders/mailSecrets";
import fc from "fast-check";
import type { DemoWorld } from "./demoWorld";
import type { DocumentedOperation } from "./readDocument";
import type { Input } from "./request";

const hexOf = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((each) => `0x${each.toHex()}`);
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const anyCase = (hex: fc.Arbitrary<string>) =>
  fc.tuple(hex, fc.boolean()).map(([text, upper]) => (upper ? `0x${text.slice(2).toUpperCase()}` : text));

/** SECRETS_KEY of the service that is asked: links in mails are made with it. */
export const SECRETS_KEY = "ab".repeat(32);
const mailSecrets = createMailSecrets(SECRETS_KEY);

const chainId = optional(fc.constantFrom("31337", "eip155:31337"));
const skip = optional(fc.integer({ min: 0, max: 5_000 }));
const page = { first: optional(fc.integer({ min: 1, max: 200 })), skip };
/** Free text within the limits of the protocol's details. */
const text = fc.string({ unit: "grapheme", maxLength: 60 }).filter((each) => !/[\p{Cc}\p{Bidi_Control}]/u.test(each));
const details = fc.record({
  url: fc.constantFrom("", "https://example.com/plan", "http://example.com"),
  description: text,
});

/**
 * Inputs that have to be answered 2xx, by operation. An operation without a generator here gets its example, whose parameters
 * then have to be valid as they stand.
 */
export function validInputs(world: DemoWorld): (operation: DocumentedOperation) => fc.Arbitrary<Input> {
  const generators = generatorsOf(world);
  return (operation) => generators[operation.id] ?? fc.constant(exampleOf(operation));
}

/** The generators by the name of the operation. Operations need one mainly because their valid inputs depend on the chain. */
function generatorsOf(world: DemoWorld): Record<string, fc.Arbitrary<Input>> {
  const { plans, joins, changes, tokens, accounts, transactions, keyIds, webhooks, today } = world;
  const plan = fc.constantFrom(...plans);
  const open = fc.constantFrom(...plans.filter((each) => each.open));
  const joined = fc.constantFrom(...plans.filter((each) => each.open && each.members.length > 0));
  const join = fc.constantFrom(...joins);
  const id = anyCase(plan.map((each) => each.id));
  const account = anyCase(fc.oneof(fc.constantFrom(...accounts), hexOf(20)));
  const token = fc.constantFrom(...tokens);
  const tokenAddress = token.map(({ address }) => address);
  const day = fc.integer({ min: today - 400, max: today + 400 });
  const common = {
    chainId,
    readinessOnly: optional(fc.boolean()),
    simulateFromAddress: optional(fc.constantFrom(...accounts)),
    paymasterUrl: optional(fc.constant("https://paymaster.example/v1")),
  };
  const prepare = (specific: fc.Arbitrary<Input>) =>
    fc.tuple(specific, fc.record(common)).map(([input, shared]) => ({ ...input, ...shared }));
  /** Any part of the object that a read shows, but always its id. */
  const object = (of: string) => {
    const shown = plans.find((each) => each.id === of)?.shown;
    if (shown === undefined) throw new Error(`${of} is not on the demo chain`);
    const fields = [
      "amount",
      "provider",
      "token",
      "cancelled",
      "frequency",
      "dueDay",
      "tokenSymbol",
      "amountRaw",
      "tokenDecimals",
      "frequencyLabel",
    ] as const;
    return fc
      .subarray([...fields])
      .map((given) => ({ id: of, ...Object.fromEntries(given.map((field) => [field, shown[field]])) }));
  };
  const asObject = (byId: fc.Arbitrary<Input & { id: string }>) =>
    byId.chain(({ id: of, ...input }) => object(of).map((subscription) => ({ ...input, subscription })));

  const subscribe = join.map(({ from, id: of }) => ({ from, id: of }));
  const approval = fc.oneof(
    fc.record({ infiniteApproval: optional(fc.boolean()) }),
    fc.record({ approvalPeriods: fc.integer({ min: 1, max: 120 }), infiniteApproval: optional(fc.constant(false)) }),
  );
  const joining = fc.tuple(subscribe, approval).map(([input, wish]) => ({ ...input, ...wish }));
  const cancel = fc
    .constantFrom(...plans.filter(({ shown }) => !shown.cancelled))
    .map(({ provider, id: of }) => ({ from: provider, id: of }));
  const leave = joined.chain(({ id: of, members }) => fc.constantFrom(...members).map((from) => ({ from, id: of })));
  const renewed = fc.oneof(
    fc.constant({ infiniteApproval: true }),
    fc.record({ approvalPeriods: fc.integer({ min: 1, max: 120 }) }),
  );
  const renew = fc.tuple(leave, renewed).map(([input, wish]) => ({ ...input, ...wish }));
  const change = fc.tuple(fc.constantFrom(...changes), approval).map(([input, wish]) => ({ ...input, ...wish }));
  const remove = joined.chain(({ id: of, provider, members }) =>
    fc.constantFrom(...members).map((subscriber) => ({ from: provider, id: of, subscriber })),
  );
  const edit = fc
    .tuple(open, details)
    .map(([{ provider, id: of }, each]) => ({ from: provider, id: of, details: each }));
  const create = fc
    .tuple(fc.constantFrom(...tokens.filter((each) => each.open)), fc.integer({ min: 0, max: 3 }))
    .chain(([{ address, decimals }, frequency]) =>
      fc.record({
        from: fc.constantFrom(...accounts),
        token: fc.constant(address),
        amount: fc.tuple(fc.integer({ min: 1, max: 10 ** 9 }), fc.integer({ min: 0, max: decimals })).map(decimalText),
        frequency: fc.constant(frequency),
        dueDay: fc.integer({ min: 1, max: lastDueDay(toFrequency(frequency)) }),
        details,
      }),
    );
  const webhookId = fc.constantFrom(...webhooks.map((each) => each.id));
  // Only once each: a webhook can't be deleted again, and gets few challenges.
  const permitsLeft = [...world.permitsToWithdraw];
  const waiting = [...world.webhooksToUse];
  const unusedWebhook = fc.constant(null).map(() => ({ id: waiting.pop() ?? "" }));
  const url = fc.constantFrom("https://93.184.216.34/hook", "https://93.184.216.34:8443/?a=b");
  const webhookChange = {
    types: optional(fc.constantFrom(null, ["payment.paid"], ["remit.due", "event.retracted"])),
    filter: optional(fc.record({ provider: optional(fc.constantFrom(...accounts)), subscription: optional(id) })),
    description: optional(fc.constantFrom(null, "", "Ü 🗝")),
  };
  const readable = fc.record({ chainId, id });
  const paged = fc.record({ chainId, id, ...page });

  return {
    get_protocol_state: fc.record({ chainId }),
    search_subscriptions: fc.record({
      chainId,
      skip,
      provider: optional(account),
      token: optional(tokenAddress),
      frequency: optional(fc.integer({ min: 0, max: 3 })),
      cancelled: optional(fc.boolean()),
      first: optional(fc.integer({ min: 1, max: 10 })),
    }),
    get_subscriptions_due: fc.oneof(
      fc.record({ chainId, dayNumber: optional(day), frequency: optional(fc.integer({ min: 0, max: 3 })), ...page }),
      fc.record({ chainId, date: day.map((each) => dayToDate(each)), ...page }),
    ),
    get_subscription: readable,
    get_subscribers: paged,
    get_entitlement: fc.record({ chainId, id, account }),
    get_checkout: fc.record({
      chainId,
      id,
      account: optional(account),
      approvalPeriods: optional(fc.integer({ min: 1, max: 120 })),
    }),
    get_names: fc.record({
      chainId,
      id: optional(fc.array(id, { maxLength: 50 })),
      provider: optional(fc.array(account, { maxLength: 50 })),
    }),
    get_fee_balance: fc.record({ chainId, id, address: account }),
    get_subscription_details: readable,
    get_details_history: paged,
    get_subscription_history: paged,
    get_account_subscriptions: fc.record({ chainId, address: account, bySubscriber: optional(fc.boolean()), ...page }),
    get_account: fc.record({ chainId, address: account, ...page }),
    get_account_activity: fc.record({ chainId, address: account, ...page }),
    get_provider_profile: fc.record({ chainId, address: account }),
    list_approved_tokens: fc.record({ chainId }),
    get_approved_token: fc.record({ chainId, token: fc.oneof(tokenAddress, account) }),
    check_subscribe_readiness: asObject(fc.tuple(account, plan).map(([from, { id: of }]) => ({ from, id: of }))),
    check_subscribe_readiness_by_id: fc.record({ chainId, from: account, id }),
    prepare_create_subscription: prepare(create),
    prepare_subscribe: prepare(asObject(joining)),
    prepare_subscribe_by_id: prepare(joining),
    prepare_cancel_subscription: prepare(asObject(cancel)),
    prepare_cancel_subscription_by_id: prepare(cancel),
    prepare_approve: prepare(renew),
    prepare_permit: fc.record({
      chainId,
      from: fc.constant(world.permit.from),
      token: fc.constant(world.permit.token),
      approvalPeriods: fc.integer({ min: 1, max: 120 }),
    }),
    keep_permit: fc.constant(world.permit),
    list_permits: fc.record({
      chainId,
      token: tokenAddress,
      owner: optional(fc.array(account, { minLength: 1, maxLength: 3 })),
      ...page,
    }),
    list_account_permits: fc.record({
      chainId,
      address: account,
      role: optional(fc.constantFrom("subscriber", "provider")),
      ...page,
    }),
    withdraw_permit: fc.constant(null).map(() => ({ permitId: permitsLeft.pop() ?? "" })),
    prepare_submit_permit: prepare(
      fc.record({ from: fc.constantFrom(...accounts), permitId: fc.constant(world.keptPermit) }),
    ),
    prepare_change_plan: prepare(change),
    prepare_unsubscribe: prepare(asObject(leave)),
    prepare_unsubscribe_by_id: prepare(leave),
    prepare_unsubscribe_by_provider: prepare(asObject(remove)),
    prepare_unsubscribe_by_provider_by_id: prepare(remove),
    prepare_edit_details: prepare(edit),
    get_remit_plan: fc.record({
      chainId,
      from: optional(fc.constantFrom(...accounts)),
      price: optional(fc.subarray(tokens.map(({ address }) => `${address}:400000000000000`))),
      ...page,
    }),
    get_remit_forecast: fc.record({ chainId, account: optional(fc.constantFrom(...accounts)) }),
    get_remit_readiness: fc.record({ chainId, from: optional(fc.constantFrom(...accounts)) }),
    check_remit_readiness: fc.record({ chainId, from: optional(fc.constantFrom(...accounts)) }),
    prepare_remit: prepare(fc.record({ from: fc.constantFrom(...accounts) })),
    get_transaction_status: fc.record({ chainId, txHash: fc.oneof(fc.constantFrom(...transactions), hexOf(32)) }),
    create_developer_key: fc.record({ subjectId: fc.uuid(), label: optional(fc.constantFrom("", "keeper", "Ü 🗝")) }),
    list_developer_keys: fc.record({ subjectId: fc.uuid(), ...page }),
    revoke_developer_key: fc.record({ id: fc.constantFrom(...keyIds) }),
    create_webhook: fc.record({ chainId, url, ...webhookChange }),
    update_webhook: fc.record({ id: webhookId, ...webhookChange, enabled: fc.boolean() }),
    get_webhook: fc.record({ id: webhookId }),
    challenge_webhook: unusedWebhook,
    test_webhook: fc.record({ id: webhookId }),
    rotate_webhook_secret: fc.record({ id: webhookId }),
    replay_webhook: unusedWebhook.map((unused) => ({ ...unused, after: 0 })),
    list_webhook_deliveries: fc.record({
      id: webhookId,
      first: page.first,
      after: optional(fc.integer({ min: 1 }).map(String)),
      state: optional(fc.constantFrom("pending", "delivered", "failed", "replaced")),
    }),
    redeliver_webhook: fc.constantFrom(...webhooks.map(({ id, deliveryId }) => ({ id, deliveryId }))),
    delete_webhook: unusedWebhook,
    create_portal_challenge: fc.record({ address: fc.constantFrom(...accounts) }),
    create_portal_session: fc.record({ message: fc.string({ minLength: 1, maxLength: 500 }), signature: hexOf(65) }),
    get_portal_session: fc.constant({}),
    end_portal_session: fc.record({ everywhere: optional(fc.boolean()) }),
    create_portal_key: fc.record({ label: optional(fc.constantFrom("", "keeper", "Ü 🗝")) }),
    list_portal_keys: fc.record(page),
    revoke_portal_key: fc.record({ id: fc.constantFrom(...keyIds) }),
    get_portal_usage: fc.constant({}),
    unsubscribe_reminders: fc
      .tuple(hexOf(20), hexOf(32))
      .map(([payer, hash]) => ({ token: mailSecrets.unsubscribeToken(toLowerCase(payer), toLowerCase(hash)) })),
    get_portal_checkout: fc.constant({}),
    set_portal_checkout: fc.record({
      origins: fc.constantFrom([], ["https://shop.example", "https://shop.example:8443"]),
      returnUrls: fc.constantFrom([], ["https://shop.example/", "https://shop.example/%C3%BC"]),
      supportUrl: optional(fc.constant("https://shop.example/help?lang=de")),
      paymasterUrl: optional(fc.webUrl({ validSchemes: ["https"] }).filter((each) => URL.canParse(each))),
    }),
  };
}

function exampleOf({ parameters, body }: DocumentedOperation): Input {
  const given = parameters.filter(({ name, example }) => example !== undefined && name !== "chainId");
  return { ...Object.fromEntries(given.map(({ name, example }) => [name, example])), ...Object(body?.example) };
}

/** `whole` with this number of decimals after it, of which the last is 5; at least the protocol's minimum on the demo chain. */
function decimalText([whole, decimals]: [number, number]): string {
  return decimals === 0 ? String(whole) : `${whole}.${"0".repeat(decimals - 1)}5`;
}
