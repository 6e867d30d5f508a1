import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import type { Terminal } from "./prepare/sendPrepared";
import type { Screen } from "./table";

/** Asks on this process's terminal; undefined without one. Questions go to standard error, so that a pipe gets only the command's output. */
export function openTerminal(): Terminal | undefined {
  const { stdin: input, stderr } = process;
  if (!input.isTTY || !stderr.isTTY) return undefined;

  async function ask(question: string, { isSecret }: { isSecret: boolean }): Promise<string> {
    // The library echoes what is typed to its output, and writes the question there: for a secret, both are discarded.
    const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
    const lines = createInterface({ input, output: isSecret ? silent : stderr, terminal: true });
    // Without this, Ctrl-C and Ctrl-D would leave the question open for ever.
    const closed = new Promise<string>((resolve) => lines.once("close", () => resolve("")));
    // Written only now: until the library controls the input, the terminal itself echoes what is typed.
    if (isSecret) stderr.write(question);
    try {
      return await Promise.race([lines.question(question), closed]);
    } finally {
      lines.close();
      if (isSecret) stderr.write("\n");
    }
  }

  return {
    async confirm(question) {
      return /^y(es)?$/i.test((await ask(question, { isSecret: false })).trim());
    },
    askSecret: (question) => ask(question, { isSecret: true }),
  };
}

/** The terminal of standard output; undefined if that is a file or a pipe. `NO_COLOR` is obeyed. */
export function openScreen(): Screen | undefined {
  const { stdout } = process;
  // A terminal that does not report its width counts as wide enough.
  return stdout.isTTY ? { columns: stdout.columns || Infinity, hasColors: stdout.hasColors() } : undefined;
}
