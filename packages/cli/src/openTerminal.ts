import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import type { Terminal } from "./prepare/sendPrepared";

/** Questions on this process's terminal, on standard error so that a pipe has only the answer; undefined where there is none. */
export function openTerminal(): Terminal | undefined {
  const { stdin: input, stderr } = process;
  if (!input.isTTY || !stderr.isTTY) return undefined;

  async function ask(question: string, output: NodeJS.WritableStream): Promise<string> {
    const lines = createInterface({ input, output, terminal: true });
    // Ctrl-C and Ctrl-D would leave the question open for ever.
    const closed = new Promise<string>((resolve) => lines.once("close", () => resolve("")));
    stderr.write(question);
    try {
      return await Promise.race([lines.question(""), closed]);
    } finally {
      lines.close();
    }
  }

  return {
    async confirm(question) {
      return /^y(es)?$/i.test((await ask(question, stderr)).trim());
    },
    async askSecret(question) {
      // The library echoes what is typed to its output.
      const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
      const secret = await ask(question, silent);
      stderr.write("\n");
      return secret;
    },
  };
}
