import { createDueday, type Dueday, DuedayError } from "@dueday/sdk";
import { Command, CommanderError } from "commander";
import manifest from "../package.json";
import { describeError, EXIT, exitCodeOf } from "./exitCode";
import { addPreparations } from "./prepare/addPreparations";
import type { Preparation, SigningOptions } from "./prepare/preparation";
import type { Terminal } from "./prepare/sendPrepared";
import { addEventReads } from "./reads/addEventReads";
import { addMoneyReads } from "./reads/addMoneyReads";
import { addPlanReads } from "./reads/addPlanReads";
import { wholeNumber } from "./reads/reading";
import { bold, renderTable, type Screen, type Table } from "./table";
import { terminalJson, terminalText } from "./terminalText";

/** Where a command reads its settings and writes. `signal` ends it, as Ctrl-C does in a shell. */
export type Surroundings = {
  env: Readonly<Record<string, string | undefined>>;
  write(text: string): void;
  writeError(text: string): void;
  signal?: AbortSignal;
  /** Who can be asked; undefined without a terminal. */
  terminal?: Terminal | undefined;
  /** The terminal that receives the output; undefined for a file or a pipe, whose tables have no colours and no width. */
  screen?: Screen | undefined;
};

/** Width of the help where it is written to no terminal. */
const PLAIN_COLUMNS = 80;

type Shared = { api?: string; chain?: number; json?: true };

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

function createProgram({ env, write, writeError, signal, terminal, screen }: Surroundings): Command {
  const program = new Command("dueday")
    .description("Recurring ERC-20 payments of a Dueday service: what it knows, and what to sign.")
    .version(manifest.version)
    .option("--api <url>", "the service (default: DUEDAY_API)")
    .option("--chain <id>", "the chain's id (default: the service's own)", wholeNumber)
    .option("--json", "the answer of the API as JSON")
    .addHelpText(
      "after",
      "\nDUEDAY_API_KEY is sent as the developer key.\nExit codes: 0 done, 1 unexpected error, 2 usage, 3 refused, 4 unavailable.",
    )
    .configureOutput({
      writeOut: write,
      writeErr: (text) => writeError(text.split("\n").map(terminalText).join("\n")),
      getOutHelpWidth: () => screen?.columns ?? PLAIN_COLUMNS,
      getOutHasColors: () => screen?.hasColors === true,
    })
    .configureHelp({ styleTitle: bold })
    .exitOverride();

  const shared = () => program.opts<Shared>();

  function client(): Dueday {
    const { api: baseUrl = env.DUEDAY_API, chain: chainId } = shared();
    if (baseUrl === undefined || !/^https?:\/\//.test(baseUrl) || !URL.canParse(baseUrl)) {
      return program.error("error: name the service as a URL, with --api or DUEDAY_API");
    }
    return createDueday({ baseUrl, chainId, apiKey: env.DUEDAY_API_KEY });
  }

  const isJson = () => shared().json === true;
  const render = (shown: readonly Table[]) => shown.map((table) => renderTable(table, screen)).join("\n");

  function show<A extends object>(answer: A, tablesOf: (answer: A) => Table[]): void {
    write(isJson() ? `${terminalJson(answer, 2)}\n` : render(tablesOf(answer)));
  }

  const call = { signal };
  const reading = { client, show, write, call, isJson };
  addPlanReads(program, reading);
  addMoneyReads(program, reading);
  addEventReads(program, reading);

  const prepare = program
    .command("prepare")
    .description("what to sign for an action; with --send it is compared with your own node, shown, signed and sent");
  addPreparations(prepare, runPreparation);

  // Its modules are loaded only here: decoding and signing take most of the command's time to start.
  async function runPreparation(preparation: Preparation, options: SigningOptions): Promise<void> {
    const dueday = client();
    const { prepareTables, signedTables } = await import("./prepare/prepareTables");
    if (options.send === true) {
      const { sendPrepared } = await import("./prepare/sendPrepared");
      // With JSON, what is shown before signing goes to standard error: it is not part of the answer.
      const tell = isJson() ? writeError : write;
      const signed = await sendPrepared(preparation, options, {
        dueday,
        chainId: shared().chain,
        show: (tables) => tell(render(tables)),
        tell: (text) => tell(`${text}\n`),
        terminal,
        usage: (message) => program.error(`error: ${message}`),
      });
      return show(signed, signedTables);
    }
    if (options.from === undefined) return program.error("error: name, with --from, the wallet that will sign");
    show(await preparation.ask(dueday, options.from, call), prepareTables);
  }

  return program;
}
