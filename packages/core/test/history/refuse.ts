/** A step that reverts, with the code that the recording has for it. */
export class Refused extends Error {
  constructor(readonly code: string) {
    super(`reverts with "${code}"`);
  }
}

/** Throws Refused with `code` unless the condition holds. */
export function need(condition: boolean, code: string): asserts condition {
  if (!condition) throw new Refused(code);
}
