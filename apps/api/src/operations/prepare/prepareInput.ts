import { Address } from "@dueday/core/schema";
import { Type } from "@sinclair/typebox";
import { inBody } from "../../operation/defineOperation";

/** Body fields that every prepare operation takes. */
export const prepareInput = {
  from: inBody({ ...Address, description: "The wallet that will sign" }),
  readinessOnly: inBody(
    Type.Optional(Type.Boolean({ description: "Only judge: no unsigned transactions, no gas estimates" })),
  ),
  simulateFromAddress: inBody(
    Type.Optional({ ...Address, description: "Estimate gas for this broadcaster; changes nothing else" }),
  ),
};
