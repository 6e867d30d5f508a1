import { Type } from "@sinclair/typebox";
import { defineOperation } from "../../operation/defineOperation";
import { cancelForm } from "./cancelForm";
import { prepareInput } from "./prepareInput";
import { exampleFrom, exampleSubscription, subscriptionInBody } from "./subscriptionInput";

export const prepareCancelSubscription = defineOperation({
  ...cancelForm("prepare_cancel_subscription"),
  http: { method: "POST", path: "/prepare/cancel_subscription" },
  summary: "Unsigned cancellation by the provider (object form)",
  input: Type.Object({ ...prepareInput, ...subscriptionInBody }),
  example: { from: exampleFrom, subscription: exampleSubscription },
});
