import { MOST_ENTRIES, paymentLists } from "@dueday/core/remit/paymentFilter";
import { Type } from "@sinclair/typebox";
import { inQuery } from "../../operation/defineOperation";

const list = (name: keyof typeof paymentLists, whose: string) =>
  inQuery(
    Type.Optional(Type.String({ ...paymentLists[name], description: `${whose}, up to ${MOST_ENTRIES} with commas` })),
  );

/** The inputs of `readPaymentFilter`. */
export const filterInQuery = {
  account: list("account", "Subscribers"),
  provider: list("provider", "Providers"),
  subscription: list("subscription", "Ids"),
};
