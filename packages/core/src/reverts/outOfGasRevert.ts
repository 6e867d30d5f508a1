import type { Revert } from "./revert";

/** A call used up all the gas that a transaction can have. */
export const outOfGasRevert: Revert = {
  code: "",
  name: "OUT_OF_GAS",
  message: "The transaction needs more gas than the chain allows for one transaction; the cause may be its token.",
};
