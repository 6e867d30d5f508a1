import { type Hex, isHex } from "viem";

/** The return data of a reverted call, found among the causes of an error; "0x" for a revert without a reason; null for any other error. */
export function revertData(error: unknown): Hex | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const data: unknown = "data" in cause ? cause.data : undefined;
    if (isHex(data)) return data;
    if (cause.name === "ExecutionRevertedError" && !(cause.cause instanceof Error)) return "0x";
  }
  return null;
}
