export type TypedAnswer = { after: string; type: string };

type Given = {
  columns: number;
  env?: Record<string, string>;
  /** What a person types, each once the screen shows `after`, in this order. */
  answers?: readonly TypedAnswer[];
};

/** Runs a program in a pseudo-terminal. @returns everything that the screen showed, controls included, and the exit code */
export async function runInTerminal(program: readonly string[], { columns, env, answers = [] }: Given) {
  const left = [...answers];
  const decoder = new TextDecoder();
  let screen = "";
  let seen = 0;
  const ended = Promise.withResolvers<void>();
  // The test sets what decides about colours: a person's terminal and a build server have settings of their own.
  const { NO_COLOR: _, FORCE_COLOR: __, CI: ___, ...own } = Bun.env;
  const child = Bun.spawn([...program], {
    env: { ...own, TERM: "xterm-256color", ...env },
    terminal: {
      cols: columns,
      data(terminal, data) {
        screen += decoder.decode(data, { stream: true });
        const [next] = left;
        const at = next === undefined ? -1 : screen.indexOf(next.after, seen);
        if (next === undefined || at < 0) return;
        seen = at + next.after.length;
        left.shift();
        terminal.write(`${next.type}\r`);
      },
      // What was written last may come after the program has exited.
      exit: () => ended.resolve(),
    },
  });
  const code = await child.exited;
  await ended.promise;
  return { code, screen: screen.replaceAll("\r\n", "\n"), unanswered: left };
}
