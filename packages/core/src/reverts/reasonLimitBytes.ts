/** Longest reason of a token that is shown, in UTF-8 bytes. */
export const REASON_LIMIT_BYTES = 200;
