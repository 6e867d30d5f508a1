import { Type } from "@sinclair/typebox";
import { defineOperation } from "../../operation/defineOperation";
import { infiniteApproval } from "./infiniteApproval";
import { prepareInput } from "./prepareInput";
import { subscribeForm } from "./subscribeForm";
import { exampleFrom, exampleSubscription, subscriptionInBody } from "./subscriptionInput";

export const prepareSubscribe = defineOperation({
  ...subscribeForm("prepare_subscribe"),
  http: { method: "POST", path: "/prepare/subscribe" },
  summary: "Unsigned subscribe, with approve when needed (object form)",
  input: Type.Object({ ...prepareInput, ...subscriptionInBody, infiniteApproval }),
  example: { from: exampleFrom, subscription: exampleSubscription },
});
