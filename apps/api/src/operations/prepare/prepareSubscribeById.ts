import { Type } from "@sinclair/typebox";
import { defineOperation } from "../../operation";
import { infiniteApproval } from "../../schema/infiniteApproval";
import { prepareInput } from "../../schema/prepareInput";
import { exampleFrom, exampleId, idInBody } from "../../schema/subscriptionInput";
import { subscribeForm } from "./subscribeForm";

export const prepareSubscribeById = defineOperation({
  ...subscribeForm("prepare_subscribe_by_id"),
  http: { method: "POST", path: "/prepare/subscribe_by_id" },
  summary: "Unsigned subscribe by id, with approve when needed (preferred)",
  input: Type.Object({ ...prepareInput, ...idInBody, infiniteApproval }),
  example: { from: exampleFrom, id: exampleId },
});
