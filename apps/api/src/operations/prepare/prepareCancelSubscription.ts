import { Type } from "@sinclair/typebox";
import { defineOperation } from "../../operation";
import { prepareInput } from "../../schema/prepareInput";
import { exampleFrom, exampleSubscription, subscriptionInBody } from "../../schema/subscriptionInput";
import { cancelForm } from "./cancelForm";

export const prepareCancelSubscription = defineOperation({
  ...cancelForm("prepare_cancel_subscription"),
  http: { method: "POST", path: "/prepare/cancel_subscription" },
  summary: "Unsigned cancellation by the provider (object form)",
  input: Type.Object({ ...prepareInput, ...subscriptionInBody }),
  example: { from: exampleFrom, subscription: exampleSubscription },
});
