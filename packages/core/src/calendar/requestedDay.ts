import { validationError } from "../errors";
import { dateToDay } from "./dates";

/**
 * The day that a request names by number or by date; null where it names none.
 *
 * @throws ServiceError VALIDATION_ERROR for a date that does not exist or is before 1970, or a number and a date of different days
 */
export function requestedDay(input: { dayNumber?: number | undefined; date?: string | undefined }): number | null {
  if (input.date === undefined) return input.dayNumber ?? null;
  const day = dateToDay(input.date);
  if (day === null)
    throw validationError("date", "MALFORMED", "must be an existing day from 1970 on, such as 2026-03-31");
  if (input.dayNumber !== undefined && input.dayNumber !== day) {
    throw validationError(
      "dayNumber",
      "CONTRADICTION",
      `must be ${day}, the day number of date; send only one of the two`,
    );
  }
  return day;
}
