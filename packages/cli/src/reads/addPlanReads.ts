import { type Command, Option } from "commander";
import * as tables from "./answerTables";
import { FREQUENCIES, frequencyNumber } from "./frequency";
import { type Hex, type Page, paged, type Reading, wholeNumber } from "./reading";

/** Due plans, the plan of remit(), the forecast, single plans, accounts, and kept permits. */
export function addPlanReads(program: Command, { client, show, call }: Reading): void {
  paged(program.command("due").description("plans that are due on a day"))
    .option("--date <yyyy-mm-dd>", "the day (default: today)")
    .addOption(new Option("--frequency <name>", "only plans of this frequency").choices(FREQUENCIES))
    .action(
      async ({ date, frequency, ...page }: Page & { date?: string; frequency?: (typeof FREQUENCIES)[number] }) => {
        const at = frequency === undefined ? undefined : frequencyNumber(frequency);
        show(await client().getSubscriptionsDue({ ...page, date, frequency: at }, call), tables.dueTables);
      },
    );

  paged(program.command("plan").description("what remit() would do now, transaction by transaction"))
    .option("--from <address>", "the account that would send it")
    .action(async (options: Page & { from?: Hex }) => {
      show(await client().getRemitPlan(options, call), tables.planTables);
    });

  program
    .command("forecast")
    .description("the backlog, and the charges of the coming days")
    .option("--account <address>", "add the outlook of this account")
    .action(async (options: { account?: Hex }) => {
      show(await client().getRemitForecast(options, call), tables.forecastTables);
    });

  program
    .command("subscription <id>")
    .description("a plan")
    .action(async (id: Hex) => show(await client().getSubscription({ id }, call), tables.subscriptionTables));

  paged(program.command("account <address>").description("the plans that an account pays for and sells")).action(
    async (address: Hex, page: Page) => {
      show(await client().getAccount({ ...page, address }, call), tables.accountTables);
    },
  );

  program
    .command("health <address>")
    .description("whether allowances and balances of an account cover its coming charges")
    .option("--days <number>", "how far to look ahead", wholeNumber)
    .action(async (address: Hex, { days }: { days?: number }) => {
      show(await client().getAccountHealth({ address, days }, call), tables.healthTables);
    });

  program
    .command("permits")
    .description("kept permits of a token, with their signatures; needs a developer key")
    .requiredOption("--token <address>", "the token")
    .option("--first <number>", "entries of a page", wholeNumber)
    .option("--after <number>", "begin after this one: nextAfter of the page before", wholeNumber)
    .action(async (options: { token: Hex; first?: number; after?: number }) => {
      show(await client().listPermits(options, call), tables.permitsTables);
    });
}
