import { PaymentFilterInput } from "@dueday/core/remit/paymentFilter";
import { inQuery } from "../../operation/defineOperation";

/** The inputs of `readPaymentFilter`. */
export const filterInQuery = {
  account: inQuery(PaymentFilterInput.properties.account),
  provider: inQuery(PaymentFilterInput.properties.provider),
  subscription: inQuery(PaymentFilterInput.properties.subscription),
};
