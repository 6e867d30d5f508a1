import { createDueday } from "@dueday/sdk";
import { createLocalDueday } from "@dueday/sdk/local";
import { createPublicClient, http } from "viem";
import { foundry } from "viem/chains";

// Prints what a service and a node of one's own answer: `deno run main.ts <service> <node>`.
const [baseUrl = "", rpcUrl = ""] = Deno.args;
const dueday = createDueday({ baseUrl });
const { contractAddress: contract } = await dueday.getProtocolState();
const local = createLocalDueday({ client: createPublicClient({ chain: foundry, transport: http(rpcUrl) }), contract });
const { subscriptions } = await dueday.searchSubscriptions({ cancelled: false, first: 1 });
const [plan] = subscriptions;
if (plan === undefined) throw new Error("the service has no plans");
const { subscription } = await local.getSubscription({ id: plan.id });
for await (const { seq } of dueday.events({ after: 0 })) {
  console.log(JSON.stringify({ id: subscription.id, seq }));
  break;
}
