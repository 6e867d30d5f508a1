/** Runs a program to its end. @returns what it printed @throws Error with its whole output where it fails */
export async function runProgram(command: string[], cwd: string): Promise<string> {
  const child = Bun.spawn(command, { cwd, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [out, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  if ((await child.exited) !== 0) throw new Error(`${command.join(" ")} failed:\n${out}${errors}`);
  return out;
}
