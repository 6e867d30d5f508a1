import type { EventType } from "@dueday/sdk";
import { type Command, Option } from "commander";
import { terminalJson, terminalText } from "../terminalText";
import * as tables from "./answerTables";
import { type Hex, type Reading, wholeNumber } from "./reading";

type EventFilters = {
  type?: string[];
  provider?: Hex;
  plan?: Hex;
  subscriber?: Hex;
  after?: number;
  first?: number;
  follow?: true;
};

/** The events of the past and those to come, and the state of the service and of transactions. */
export function addEventReads(program: Command, { client, show, write, isJson, call }: Reading): void {
  program
    .command("events")
    .description("what happened, oldest first")
    .option("--follow", "print further events as they happen; with --json one line each")
    .option("--type <name...>", "only these types, such as payment.paid")
    .option("--provider <address>", "only of this provider")
    .option("--plan <id>", "only of this plan")
    .option("--subscriber <address>", "only of this subscriber")
    .option("--after <seq>", "begin after this event", wholeNumber)
    .addOption(new Option("--first <number>", "at most this many").argParser(wholeNumber).conflicts("follow"))
    .action(async ({ follow, type, plan, first, ...filters }: EventFilters) => {
      // The service refuses a type that it does not know.
      const types = type as readonly EventType[] | undefined;
      const input = { ...filters, types, subscription: plan };
      if (follow !== true) return show(await client().listEvents({ ...input, first }, call), tables.eventsTables);
      for await (const event of client().events(input, call)) {
        const row = () => tables.eventRow(event).map((cell) => terminalText(String(cell)));
        write(`${isJson() ? terminalJson(event) : row().join("  ")}\n`);
      }
    });

  program
    .command("status [transaction]")
    .description("the state of the service, or of a transaction by its hash")
    .action(async (txHash?: Hex) => {
      if (txHash === undefined) show(await client().getStatus({}, call), tables.statusTables);
      else show(await client().getTransactionStatus({ txHash }, call), tables.transactionTables);
    });
}
