import { Address, Bytes32 } from "@dueday/core/schema";
import { inPath } from "./defineOperation";

/** The `:address` of a path. */
export const accountAddress = inPath({ ...Address, description: "The account, as subscriber or provider" });

/** The `:id` of a path. */
export const subscriptionId = inPath({ ...Bytes32, description: "Id of a subscription" });
