import type { CallOptions, Dueday } from "@dueday/sdk";
import { type Command, InvalidArgumentError } from "commander";
import type { Table } from "../table";

/** What a command that reads needs of the program. */
export type Reading = {
  /** Ends the command where no service is named. */
  client(): Dueday;
  call: CallOptions;
  /** Prints the answer as JSON, or its tables. */
  show<A extends object>(answer: A, tablesOf: (answer: A) => Table[]): void;
  write(text: string): void;
  /** Whether JSON was asked for. */
  isJson(): boolean;
};

/** Text of the command line as the client takes it: the service refuses what is not hexadecimal, and names the field. */
export type Hex = `0x${string}`;
export type Page = { first?: number; skip?: number };

export function paged(command: Command): Command {
  return command
    .option("--first <number>", "entries of a page", wholeNumber)
    .option("--skip <number>", "entries before the page", wholeNumber);
}

export function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError("Use a whole number.");
  return Number(text);
}
