import { createDueday, type Dueday, DuedayError, type EventType } from "@dueday/sdk";
import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import manifest from "../package.json";
import * as tables from "./answerTables";
import { describeError, EXIT, exitCodeOf } from "./exitCode";
import { FREQUENCIES, frequencyNumber } from "./frequency";
import { addPreparations, type Preparation, type SigningOptions } from "./prepare/preparations";
import type { Terminal } from "./prepare/sendPrepared";
import { renderTable, type Table } from "./table";
import { terminalCsv, terminalJson, terminalText } from "./terminalText";

/** Where a command reads its settings and writes. `signal` ends it, as Ctrl-C does in a shell. */
export type Surroundings = {
  env: Readonly<Record<string, string | undefined>>;
  write(text: string): void;
  writeError(text: string): void;
  signal?: AbortSignal;
  /** Who can be asked; undefined without a terminal. */
  terminal?: Terminal | undefined;
};

/** Text of the command line as the client takes it: the service refuses what is not hexadecimal, and names the field. */
type Hex = `0x${string}`;
type Shared = { api?: string; chain?: number; json?: true };
type Page = { first?: number; skip?: number };
type Period = { from?: string; to?: string; group: "day" | "week" | "month"; token?: Hex; csv?: true };
type EventFilters = {
  type?: string[];
  provider?: Hex;
  plan?: Hex;
  subscriber?: Hex;
  after?: number;
  first?: number;
  follow?: true;
};

/** Runs `dueday` with these arguments. @returns the exit code */
export async function runCommand(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const { writeError } = surroundings;
  try {
    await createProgram(surroundings).parseAsync(args, { from: "user" });
    return EXIT.ok;
  } catch (error) {
    // The library has written its message, or the help that was asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    if (!DuedayError.is(error)) throw error;
    writeError(`${describeError(error).map(terminalText).join("\n")}\n`);
    return exitCodeOf(error);
  }
}

function createProgram({ env, write, writeError, signal, terminal }: Surroundings): Command {
  const program = new Command("dueday")
    .description("Recurring ERC-20 payments of a Dueday service: what it knows, and what to sign.")
    .version(manifest.version)
    .option("--api <url>", "the service (default: DUEDAY_API)")
    .option("--chain <id>", "the chain's id (default: the service's own)", wholeNumber)
    .option("--json", "the answer of the API as JSON")
    .addHelpText(
      "after",
      "\nDUEDAY_API_KEY is sent as the developer key.\nExit codes: 0, 2 usage, 3 refused, 4 unavailable.",
    )
    .configureOutput({ writeOut: write, writeErr: (text) => writeError(text.split("\n").map(terminalText).join("\n")) })
    .exitOverride();

  const shared = () => program.opts<Shared>();

  function client(): Dueday {
    const { api: baseUrl = env.DUEDAY_API, chain: chainId } = shared();
    if (baseUrl === undefined || !/^https?:\/\//.test(baseUrl) || !URL.canParse(baseUrl)) {
      return program.error("error: name the service as a URL, with --api or DUEDAY_API");
    }
    return createDueday({ baseUrl, chainId, apiKey: env.DUEDAY_API_KEY });
  }

  function show<A extends object>(answer: A, tablesOf: (answer: A) => Table[]): void {
    if (shared().json === true) write(`${terminalJson(answer, 2)}\n`);
    else write(tablesOf(answer).map(renderTable).join("\n"));
  }

  const call = { signal };

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
        write(`${shared().json === true ? terminalJson(event) : row().join("  ")}\n`);
      }
    });

  program
    .command("status [transaction]")
    .description("the state of the service, or of a transaction by its hash")
    .action(async (txHash?: Hex) => {
      if (txHash === undefined) show(await client().getStatus({}, call), tables.statusTables);
      else show(await client().getTransactionStatus({ txHash }, call), tables.transactionTables);
    });

  const prepare = program
    .command("prepare")
    .description("what to sign for an action; with --send it is compared with your own node, shown, signed and sent");
  addPreparations(prepare, runPreparation);

  // Its modules are loaded only here: decoding and signing take most of the command's time to start.
  async function runPreparation(preparation: Preparation, options: SigningOptions): Promise<void> {
    const dueday = client();
    const isJson = shared().json === true;
    if (options.send === true) {
      const { sendPrepared } = await import("./prepare/sendPrepared");
      const { receipts } = await sendPrepared(preparation, options, {
        dueday,
        chainId: shared().chain,
        // What is asked and shown is not part of the answer.
        write: isJson ? writeError : write,
        terminal,
        usage: (message) => program.error(`error: ${message}`),
      });
      const mined = receipts.map(({ transactionHash, blockNumber }) => ({
        transactionHash,
        blockNumber: blockNumber.toString(),
      }));
      return show({ receipts: mined }, tables.receiptTables);
    }
    if (options.from === undefined) return program.error("error: name the wallet that will sign with --from");
    const { prepareTables } = await import("./prepare/prepareTables");
    show(await preparation.ask(dueday, options.from, call), prepareTables);
  }

  return program;
}

function paged(command: Command): Command {
  return command
    .option("--first <number>", "entries of a page", wholeNumber)
    .option("--skip <number>", "entries before the page", wholeNumber);
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

function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError("Use a whole number.");
  return Number(text);
}
