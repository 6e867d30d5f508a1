import { type Command, Option } from "commander";
import { terminalCsv } from "../terminalText";
import * as tables from "./answerTables";
import type { Hex, Reading } from "./reading";

type Period = { from?: string; to?: string; group: "day" | "week" | "month"; token?: Hex; csv?: true };

/** What a provider earned, its members and its recurring revenue, by period. */
export function addMoneyReads(program: Command, { client, show, write, call }: Reading): void {
  overTime(program.command("income <provider>").description("what a provider earned, by period and token")).action(
    async (address: Hex, options: Period) => {
      const input = { address, ...periodInput(options) };
      if (options.csv === true) write(terminalCsv(await client().csv.getProviderIncome(input, call)));
      else show(await client().getProviderIncome(input, call), tables.incomeTables);
    },
  );

  overTime(program.command("metrics <provider>").description("members and monthly recurring revenue"))
    .option("--plan <id>", "only this plan")
    .action(async (address: Hex, { plan, ...options }: Period & { plan?: Hex }) => {
      const input = { address, subscription: plan, ...periodInput(options) };
      if (options.csv === true) write(terminalCsv(await client().csv.getProviderMetrics(input, call)));
      else show(await client().getProviderMetrics(input, call), tables.metricsTables);
    });
}

function overTime(command: Command): Command {
  return command
    .option("--from <yyyy-mm-dd>", "the first day")
    .option("--to <yyyy-mm-dd>", "the last day")
    .addOption(new Option("--group <period>").choices(["day", "week", "month"]).default("month"))
    .option("--token <address>", "only this token")
    .option("--csv", "the file that the API writes");
}

function periodInput({ from, to, group, token }: Period) {
  return { fromDate: from, toDate: to, group, token };
}
