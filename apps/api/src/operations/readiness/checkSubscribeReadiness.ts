import { Address } from "@dueday/core/schema";
import { Type } from "@sinclair/typebox";
import { defineOperation, inBody } from "../../operation/defineOperation";
import { exampleFrom, exampleSubscription, subscriptionInBody } from "../prepare/subscriptionInput";
import { subscribeReadinessForm } from "./subscribeReadinessForm";

export const checkSubscribeReadiness = defineOperation({
  ...subscribeReadinessForm("simulation"),
  name: "check_subscribe_readiness",
  http: { method: "POST", path: "/check_subscribe_readiness" },
  summary: "Whether a wallet can subscribe, by rules and simulation (object form)",
  bucket: "write",
  input: Type.Object({
    from: inBody({ ...Address, description: "The wallet that would subscribe" }),
    ...subscriptionInBody,
  }),
  example: { from: exampleFrom, subscription: exampleSubscription },
});
