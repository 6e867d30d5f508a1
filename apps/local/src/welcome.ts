import { dayToDate } from "@dueday/core/calendar/dates";
import type { RemitReadiness } from "@dueday/core/snapshots/remitReadiness";
import type { StackFacts } from "./stackFacts";
import { LIMIT_FACTOR } from "./stackSettings";

export type Welcome = {
  facts: StackFacts;
  /** Whether the web app is served. */
  web: boolean;
  /** URL of the sample shop; null without the web app, which has the checkout that the shop's button opens. */
  shopUrl: string | null;
  /** Where reminders by e-mail arrive. */
  mailboxUrl: string;
  plan: RemitReadiness;
  /** From the start of the process until the plan is served. */
  seconds: number;
};

/** The text that the demo prints when it can be used. */
export function welcome({ facts, web, shopUrl, mailboxUrl, plan, seconds }: Welcome): string {
  const { totalPayments, expectedFailures, expectedTransactions, nextUncheckedDay } = plan;
  const { url: apiUrl, rpcUrl, contract, wallets, subscriptions } = facts;
  const keeper = `--api ${apiUrl} --rpc ${rpcUrl} --contract ${contract} --once`;
  const [subscriber] = wallets.subscribers;
  return `${web ? appText(facts, shopUrl) : ""}
  Dueday demo: the plan is served ${seconds.toFixed(1)} s after the start.

    API        ${apiUrl}
    docs       ${apiUrl}/docs
    plan       ${apiUrl}/remit/readiness
    due today  ${apiUrl}/subscriptions/due
    mailbox    ${mailboxUrl}
    devnet     ${rpcUrl}, chain ${facts.chainId}, contract ${contract}

  The payments due since ${dayToDate(nextUncheckedDay)} are not settled yet: ${totalPayments} payments (${expectedFailures} of them will fail)
  in ${expectedTransactions} transactions. To settle them, run in this folder, in another terminal:

    KEEPER_PRIVATE_KEY=${wallets.keeper.privateKey} \\
      npx -y bun@${Bun.version} run keeper ${keeper}

  To follow what happens meanwhile (docs/events.md):

    curl -N -H 'Accept: text/event-stream' '${apiUrl}/events?after=0'

  Subscriptions, and funded accounts whose keys the devnet holds too (--json prints all of them, for programs):

${listOf(subscriptions)}
    provider   ${wallets.provider.address} ${wallets.provider.privateKey}
    subscriber ${subscriber?.address} ${subscriber?.privateKey}
    keeper     ${wallets.keeper.address} ${wallets.keeper.privateKey}

  Limits are ${LIMIT_FACTOR} times those of a public service unless LIMIT_* is set; ${apiUrl}/catalog shows those in force.
  The keys are public test keys, worthless on any other chain. Ctrl-C ends the demo and removes its data.

`;
}

/** The addresses of the web app and of the shop, and how to use them with a wallet. */
function appText({ url, rpcUrl, chainId, subscriptions }: StackFacts, shopUrl: string | null): string {
  // A plan that the first subscriber does not pay yet.
  const checkout = subscriptions.reader;
  return `
  Open ${url}/app

    to sell    ${url}/app/sell${checkout === undefined ? "" : `\n    to pay     ${url}/pay/${checkout}`}${
      shopUrl === null
        ? ""
        : `\n    shop       ${shopUrl}, a sample that sells a plan with Dueday's button (examples/shop.ts)`
    }

  To sign transactions, add the network ${rpcUrl} (chain ${chainId}) to a browser wallet and import one of the keys below: the provider's
  sells, the subscriber's pays.
`;
}

const SHOWN = 3;

function listOf(subscriptions: StackFacts["subscriptions"]): string {
  return Object.entries(subscriptions)
    .slice(0, SHOWN)
    .map(([name, id]) => `    ${id}  ${name}`)
    .join("\n");
}
