import { createDueday, DuedayError } from "@dueday/sdk";
import { createLocalDueday } from "@dueday/sdk/local";
import { verifyWebhook } from "@dueday/sdk/webhooks";
import { createPublicClient, http } from "viem";

// Runs against the packed package: `run.mjs <service> <node> <contract>`. Prints what both clients answer.
const [baseUrl, rpcUrl, contract] = process.argv.slice(2);
const dueday = createDueday({ baseUrl });
const chain = {
  id: 31337,
  name: "Devnet",
  nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
  rpcUrls: { default: { http: [rpcUrl] } },
};
const local = createLocalDueday({ client: createPublicClient({ chain, transport: http() }), contract });
const [due, here, there] = await Promise.all([
  dueday.getSubscriptionsDue({ frequency: 1 }),
  local.getRemitReadiness(),
  dueday.getRemitReadiness(),
]);
const code = await dueday
  .getSubscription({ id: "0x12" })
  .catch((error) => DuedayError.is(error, "VALIDATION_ERROR") && error.code);
const webhook = await verifyWebhook({ headers: {}, body: "" }, "whsec_").catch((error) => error.code);
console.log(
  JSON.stringify({
    results: due.results.length,
    code,
    webhook,
    plans: [here, there].map(({ expectedTransactions, plan }) => ({ expectedTransactions, plan })),
  }),
);
