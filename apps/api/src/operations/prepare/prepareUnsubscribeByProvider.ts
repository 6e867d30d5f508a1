import { Type } from "@sinclair/typebox";
import { defineOperation } from "../../operation/defineOperation";
import { prepareInput } from "./prepareInput";
import {
  exampleFrom,
  exampleSubscriber,
  exampleSubscription,
  subscriberInBody,
  subscriptionInBody,
} from "./subscriptionInput";
import { unsubscribeByProviderForm } from "./unsubscribeByProviderForm";

export const prepareUnsubscribeByProvider = defineOperation({
  ...unsubscribeByProviderForm("prepare_unsubscribe_by_provider"),
  http: { method: "POST", path: "/prepare/unsubscribe_by_provider" },
  summary: "Unsigned removal of a subscriber by the provider (object form)",
  input: Type.Object({ ...prepareInput, ...subscriptionInBody, subscriber: subscriberInBody }),
  example: { from: exampleFrom, subscription: exampleSubscription, subscriber: exampleSubscriber },
});
