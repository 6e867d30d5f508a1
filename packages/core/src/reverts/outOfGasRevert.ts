import type { Revert } from "../errors";

/** A call used up all the gas that it can have. */
export const outOfGasRevert: Revert = {
  code: "",
  name: "OUT_OF_GAS",
  message: "The transaction needs more gas than a block, or the chain's node, allows; the cause may be its token.",
};
