import { Address } from "@dueday/core/schema";
import { Type } from "@sinclair/typebox";
import { defineOperation, inBody } from "../../operation/defineOperation";
import { exampleFrom, exampleId, idInBody } from "../prepare/subscriptionInput";
import { subscribeReadinessForm } from "./subscribeReadinessForm";

export const checkSubscribeReadinessById = defineOperation({
  ...subscribeReadinessForm("rules"),
  name: "check_subscribe_readiness_by_id",
  http: { method: "POST", path: "/check_subscribe_readiness_by_id" },
  summary: "Whether a wallet can subscribe, by the protocol's rules (preferred)",
  bucket: "cheap",
  mcpBucket: "write",
  input: Type.Object({ from: inBody({ ...Address, description: "The wallet that would subscribe" }), ...idInBody }),
  example: { from: exampleFrom, id: exampleId },
});
