import { Type } from "@sinclair/typebox";
import { defineOperation } from "../../operation";
import { infiniteApproval } from "../../schema/infiniteApproval";
import { prepareInput } from "../../schema/prepareInput";
import { exampleFrom, exampleSubscription, subscriptionInBody } from "../../schema/subscriptionInput";
import { subscribeForm } from "./subscribeForm";

export const prepareSubscribe = defineOperation({
  ...subscribeForm("prepare_subscribe"),
  http: { method: "POST", path: "/prepare/subscribe" },
  summary: "Unsigned subscribe, with approve when needed (object form)",
  input: Type.Object({ ...prepareInput, ...subscriptionInBody, infiniteApproval }),
  example: { from: exampleFrom, subscription: exampleSubscription },
});
