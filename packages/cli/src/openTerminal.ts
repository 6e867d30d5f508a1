import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import type { Terminal } from "./prepare/sendPrepared";
import type { Screen } from "./table";

/** Questions on this process's terminal, on standard error so that a pipe has only the answer; undefined where there is none. */
export function openTerminal(): Terminal | undefined {
  const { stdin: input, stderr } = process;
  if (!input.isTTY || !stderr.isTTY) return undefined;

  async function ask(question: string, { isSecret }: { isSecret: boolean }): Promise<string> {
    // The library echoes what is typed to its output, and writes the question there.
    const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
    const lines = createInterface({ input, output: isSecret ? silent : stderr, terminal: true });
    // Ctrl-C and Ctrl-D would leave the question open for ever.
    const closed = new Promise<string>((resolve) => lines.once("close", () => resolve("")));
    // Only now: until the library has the input, the terminal itself echoes.
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

/** The terminal that standard output is; undefined where it is a file or a pipe. `NO_COLOR` is obeyed. */
export function openScreen(): Screen | undefined {
  const { stdout } = process;
  // A terminal that does not tell its width is as wide as needed.
  return stdout.isTTY ? { columns: stdout.columns || Infinity, hasColors: stdout.hasColors() } : undefined;
}
