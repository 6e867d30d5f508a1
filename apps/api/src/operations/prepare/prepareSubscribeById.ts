import { Type } from "@sinclair/typebox";
import { defineOperation } from "../../operation/defineOperation";
import { infiniteApproval } from "./infiniteApproval";
import { prepareInput } from "./prepareInput";
import { subscribeForm } from "./subscribeForm";
import { exampleFrom, exampleId, idInBody } from "./subscriptionInput";

export const prepareSubscribeById = defineOperation({
  ...subscribeForm("prepare_subscribe_by_id"),
  http: { method: "POST", path: "/prepare/subscribe_by_id" },
  summary: "Unsigned subscribe by id, with approve when needed (preferred)",
  input: Type.Object({ ...prepareInput, ...idInBody, infiniteApproval }),
  example: { from: exampleFrom, id: exampleId },
});
