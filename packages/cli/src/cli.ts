#!/usr/bin/env node
import { openScreen, openTerminal } from "./openTerminal";
import { runCommand } from "./runCommand";

// The reader of a pipe may end first, as `head` does.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
});

process.exitCode = await runCommand(process.argv.slice(2), {
  env: process.env,
  write: (text) => void process.stdout.write(text),
  terminal: openTerminal(),
  screen: openScreen(),
  writeError: (text) => void process.stderr.write(text),
});
