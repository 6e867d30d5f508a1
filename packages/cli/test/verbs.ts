import type { SigningDemo } from "./startSigningDemo";

/** One use of `dueday prepare`: its arguments, who signs it, what the API is asked, and the call that is signed last. */
export type Verb = {
  command: string[];
  who: keyof SigningDemo["accounts"];
  path: string;
  body: Record<string, unknown>;
  call: string;
};

const PROFILE = { description: "d", company: "c", url: "", domain: "", email: "", misc: "" };
const DETAILS = { url: "https://example.com", description: "x" };

/** Uses of all commands of `prepare` for the demo's plan, each named by the words of its arguments. */
export function verbs({ id, token, accounts: { member }, devnet, argumentsOf }: SigningDemo): [name: string, Verb][] {
  const join = devnet.subscriptions.nano ?? "";
  const { permitId } = argumentsOf({ name: "prepare_submit_permit", input: { properties: { permitId: {} } } });
  const all: Verb[] = [
    {
      command: [
        "create-subscription",
        "--amount",
        "12.5",
        "--token",
        token,
        "--frequency",
        "monthly",
        "--due-day",
        "5",
      ],
      who: "provider",
      path: "create_subscription",
      body: { amount: "12.5", token, frequency: 1, dueDay: 5, details: { url: "", description: "" } },
      call: "createSubscription()",
    },
    {
      command: ["subscribe", id, "--periods", "3"],
      who: "joiner",
      path: "subscribe_by_id",
      body: { id, approvalPeriods: 3 },
      call: "subscribe()",
    },
    {
      command: ["approve", id, "--periods", "6"],
      who: "member",
      path: "approve",
      body: { id, approvalPeriods: 6 },
      call: "approve()",
    },
    {
      command: ["approve", "--token", token, "--periods", "6"],
      who: "member",
      path: "approve",
      body: { token, approvalPeriods: 6 },
      call: "approve()",
    },
    { command: ["unsubscribe", id], who: "member", path: "unsubscribe_by_id", body: { id }, call: "unsubscribe()" },
    {
      command: ["change-plan", id, join],
      who: "member",
      path: "change_plan",
      body: { leave: id, join },
      call: "unsubscribe()",
    },
    {
      command: ["remove-subscriber", id, member.address],
      who: "provider",
      path: "unsubscribe_by_provider_by_id",
      body: { id, subscriber: member.address },
      call: "unsubscribeByProvider()",
    },
    {
      command: ["cancel", id],
      who: "provider",
      path: "cancel_subscription_by_id",
      body: { id },
      call: "cancelSubscription()",
    },
    {
      command: ["edit-details", id, "--url", DETAILS.url, "--description", DETAILS.description],
      who: "provider",
      path: "edit_details",
      body: { id, details: DETAILS },
      call: "editDetails()",
    },
    {
      command: ["edit-profile", "--description", "d", "--company", "c"],
      who: "provider",
      path: "edit_provider_profile",
      body: { profile: PROFILE },
      call: "editProvDetails()",
    },
    { command: ["remit"], who: "joiner", path: "remit", body: {}, call: "remit()" },
    {
      command: ["submit-permit", String(permitId)],
      who: "joiner",
      path: "submit_permit",
      body: { permitId },
      call: "permit()",
    },
    {
      command: ["permit", "--token", token, "--periods", "6"],
      who: "member",
      path: "permit",
      body: { token, approvalPeriods: 6 },
      call: "message.spender",
    },
  ];
  return all.map((verb) => [verb.command.filter((word) => /^[a-z-]+$/.test(word)).join(" "), verb]);
}
