import { Type } from "@sinclair/typebox";
import { defineOperation } from "../../operation/defineOperation";
import { prepareInput } from "./prepareInput";
import { exampleFrom, exampleSubscription, subscriptionInBody } from "./subscriptionInput";
import { unsubscribeForm } from "./unsubscribeForm";

export const prepareUnsubscribe = defineOperation({
  ...unsubscribeForm("prepare_unsubscribe"),
  http: { method: "POST", path: "/prepare/unsubscribe" },
  summary: "Unsigned unsubscribe by the subscriber (object form)",
  input: Type.Object({ ...prepareInput, ...subscriptionInBody }),
  example: { from: exampleFrom, subscription: exampleSubscription },
});
