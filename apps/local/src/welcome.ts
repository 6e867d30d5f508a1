import { dayToDate } from "@dueday/core/calendar/dates";
import type { RemitReadiness } from "@dueday/core/snapshots/remitReadiness";
import { DEVNET_CHAIN_ID } from "@dueday/devnet/startAnvil";
import type { Devnet } from "@dueday/devnet/startDevnet";
import { ACCOUNT_INDEX, testAccount } from "@dueday/devnet/testAccount";
import { DEMO_LIMIT_FACTOR } from "./demoSettings";

export type Welcome = {
  apiUrl: string;
  devnet: Pick<Devnet, "url" | "contract" | "keeper">;
  /** Whether the web app is served. */
  web: boolean;
  plan: RemitReadiness;
  /** From the start of the process until the plan is served. */
  seconds: number;
};

/** The text that the demo prints when it can be used. */
export function welcome({ apiUrl, devnet, web, plan, seconds }: Welcome): string {
  const { totalPayments, expectedFailures, expectedTransactions, nextUncheckedDay } = plan;
  const keeper = `--api ${apiUrl} --rpc ${devnet.url} --contract ${devnet.contract} --once`;
  return `${web ? appText(apiUrl, devnet) : ""}
  Dueday demo: the plan is served ${seconds.toFixed(1)} s after the start.

    API        ${apiUrl}
    docs       ${apiUrl}/docs
    plan       ${apiUrl}/remit/readiness
    due today  ${apiUrl}/subscriptions/due
    devnet     ${devnet.url}

  Nobody has settled the payments due since ${dayToDate(nextUncheckedDay)}: ${totalPayments} payments (${expectedFailures} of them will fail)
  in ${expectedTransactions} transactions. To settle them, run in this folder, in another terminal:

    KEEPER_PRIVATE_KEY=${devnet.keeper.privateKey} \\
      npx -y bun@${Bun.version} run keeper ${keeper}

  To follow what happens meanwhile (docs/events.md):

    curl -N -H 'Accept: text/event-stream' '${apiUrl}/events?after=0'

  Limits are ${DEMO_LIMIT_FACTOR} times those of a public service unless LIMIT_* is set; ${apiUrl}/catalog shows those in force.
  The key is a public test key, worthless on any other chain. Ctrl-C ends the demo and removes its data.

`;
}

/** The address of the web app, and a wallet of each kind to use it with. */
function appText(apiUrl: string, { url, keeper }: Welcome["devnet"]): string {
  const wallets = [
    ["subscriber", testAccount(ACCOUNT_INDEX.firstSubscriber)],
    ["provider", testAccount(ACCOUNT_INDEX.firstProvider)],
    ["keeper", keeper],
  ] as const;
  return `
  Open ${apiUrl}/app

  To sign in it, add the network ${url} (chain ${DEVNET_CHAIN_ID}) to a browser wallet and import one of these public test keys:

${wallets.map(([role, { privateKey }]) => `    ${role.padEnd(10)} ${privateKey}`).join("\n")}
`;
}
