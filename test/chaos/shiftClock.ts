import { readFileSync } from "node:fs";

/**
 * Moves the clock of a process: preloaded, it adds the milliseconds in the file CLOCK_SHIFT_FILE to the time of day. Timers and
 * `performance.now` go on as they do where the clock of a machine is set.
 */
const POLL_MS = 50;

const file = process.env.CLOCK_SHIFT_FILE ?? "";
const RealDate = Date;
let shiftMs = readShift();
setInterval(() => {
  shiftMs = readShift();
}, POLL_MS).unref();

function readShift(): number {
  // While it is written the file may be empty: 0, as before the first shift.
  return Number(readFileSync(file, "utf8"));
}

class ShiftedDate extends RealDate {
  constructor(...given: unknown[]) {
    if (given.length === 0) super(ShiftedDate.now());
    // The arguments of Date, whichever they are.
    else super(...(given as [number]));
  }

  static override now(): number {
    return RealDate.now() + shiftMs;
  }
}

Object.assign(globalThis, { Date: ShiftedDate });
