import { Address } from "@dueday/core/schema";
import { inPath } from "../../operation/defineOperation";

/** The `:address` of a path. */
export const accountAddress = inPath({ ...Address, description: "The account, as subscriber or provider" });
