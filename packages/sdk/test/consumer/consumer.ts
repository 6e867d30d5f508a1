import { createDueday, DuedayError, type Operations } from "@dueday/sdk";
import { duedayActions } from "@dueday/sdk/actions";
import { createLocalDueday } from "@dueday/sdk/local";
import { answerChallenge, verifyWebhook } from "@dueday/sdk/webhooks";
import { createPublicClient, createWalletClient, http } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { base } from "viem/chains";

// Type-checked against the packed package, never run. An error that is expected and does not come fails the check, so a type that
// became `any` does too.
const account = privateKeyToAccount(`0x${"11".repeat(32)}`);
const dueday = createDueday({ baseUrl: "https://api.example.com" });
const local = createLocalDueday({ client: createPublicClient({ chain: base, transport: http() }) });
const wallet = createWalletClient({ chain: base, transport: http() }).extend(duedayActions({ dueday: local }));

export async function use(request: Request): Promise<string> {
  const { results, asOf } = await dueday.getSubscriptionsDue({ frequency: 1, first: undefined });
  const count: number = results.length;
  const source: "snapshot" | "live" = asOf.source;
  const readiness: Operations["getRemitReadiness"]["output"] = await local.getRemitReadiness();
  await wallet.subscribe({ id: "0x12", approvalPeriods: 12 });
  const [first] = results.flatMap(({ subscriptions }) => subscriptions);
  if (first !== undefined) await wallet.subscribe({ id: first.id, approvalPeriods: 12 });
  const { unsignedTransactions } = await dueday.prepareRemit({ from: account.address });
  for (const { to, data, value } of unsignedTransactions)
    await wallet.sendTransaction({ account, to, data, value: BigInt(value) });
  const readinessOf = await local.prepareRemit({ from: account.address, readinessOnly: true });
  const canSettle: boolean = readinessOf.ready;
  if (!canSettle) return "";
  const event = await verifyWebhook(request, "whsec_");
  const answer: Response | null = answerChallenge(event);
  if (answer !== null) return answer.text();
  if (event.type === "payment.failed") return event.data.subscriber;
  for await (const { seq } of dueday.events({ types: ["payment.paid"] }))
    return `${seq} ${count} ${source} ${readiness.ready}`;

  // @ts-expect-error The name is misspelled: the service has no operation getSubscriptionDue.
  await dueday.getSubscriptionDue();
  // @ts-expect-error History needs the service's index, so a local client has no such method.
  await local.getSubscriptionHistory({ id: "0x12" });
  // @ts-expect-error The id is required.
  await dueday.getSubscription({});
  // @ts-expect-error The input has dayNumber, and no key day.
  await dueday.getSubscriptionsDue({ day: 5 });
  // @ts-expect-error A frequency is a number.
  await dueday.getSubscriptionsDue({ frequency: "monthly" });
  // @ts-expect-error A result has a list of subscriptions, and no field subscribers.
  results[0]?.subscribers;
  // @ts-expect-error The type is misspelled: no event has it.
  dueday.events({ types: ["payment.payed"] });
  // @ts-expect-error With readinessOnly there is nothing to sign.
  readinessOf.unsignedTransactions;
  // @ts-expect-error An id begins with 0x.
  await wallet.subscribe({ id: "12" });
  try {
    await dueday.getStatus();
  } catch (error) {
    if (DuedayError.is(error, "RATE_LIMITED")) return String(error.retryAfter);
    // @ts-expect-error The code is misspelled: the service has no code RATE_LIMIT.
    if (DuedayError.is(error, "RATE_LIMIT")) return "";
  }
  return "";
}
