import { ONE_LINE } from "@dueday/core/schema";
import type { TSchema } from "@sinclair/typebox";

/** What makes a spreadsheet run a text as a formula: its first character, also in full width. */
const FORMULA = /^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/;
const NUMBER = /^-?\d+(?:\.\d+)?$/;

/**
 * A value as the text of a CSV field. One that a spreadsheet would run as a formula begins with an apostrophe; a negative amount does
 * not: with an apostrophe it would be left out of every sum. A number as text is recognized by the pattern of its schema.
 */
export function csvField({ pattern }: TSchema, value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return String(value);
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  const isNumber = pattern !== undefined && pattern !== ONE_LINE && NUMBER.test(text);
  return FORMULA.test(text) && !isNumber ? `'${text}` : text;
}
