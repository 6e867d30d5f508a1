import { dayToDate } from "@dueday/core/calendar/dates";
import type { RemitReadiness } from "@dueday/core/snapshots/remitReadiness";
import type { Devnet } from "@dueday/devnet/startDevnet";

export type Welcome = {
  apiUrl: string;
  devnet: Pick<Devnet, "url" | "contract" | "keeper">;
  plan: RemitReadiness;
  /** From the start of the process to the served plan. */
  seconds: number;
};

/** What the demo shows once it can be used. */
export function welcome({ apiUrl, devnet, plan, seconds }: Welcome): string {
  const { totalPayments, expectedFailures, expectedTransactions, nextUncheckedDay } = plan;
  const keeper = `--api ${apiUrl} --rpc ${devnet.url} --contract ${devnet.contract} --once`;
  return `
  Dueday demo: the plan is served ${seconds.toFixed(1)} s after the start.

    API        ${apiUrl}
    docs       ${apiUrl}/docs
    plan       ${apiUrl}/remit/readiness
    due today  ${apiUrl}/subscriptions/due
    devnet     ${devnet.url}

  Since ${dayToDate(nextUncheckedDay)} nobody has settled what is due: ${totalPayments} payments, of which ${expectedFailures} will fail,
  in ${expectedTransactions} transactions. To settle them, from this folder in another terminal:

    KEEPER_PRIVATE_KEY=${devnet.keeper.privateKey} \\
      npx -y bun@${Bun.version} run keeper ${keeper}

  The key is a public test key, worthless on any other chain. Ctrl-C ends the demo and removes its data.

`;
}
