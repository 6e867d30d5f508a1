import { Type } from "@sinclair/typebox";
import { defineOperation } from "../../operation/defineOperation";
import { prepareInput } from "./prepareInput";
import { exampleFrom, exampleId, idInBody } from "./subscriptionInput";
import { unsubscribeForm } from "./unsubscribeForm";

export const prepareUnsubscribeById = defineOperation({
  ...unsubscribeForm("prepare_unsubscribe_by_id"),
  http: { method: "POST", path: "/prepare/unsubscribe_by_id" },
  summary: "Unsigned unsubscribe by the subscriber, by id (preferred)",
  input: Type.Object({ ...prepareInput, ...idInBody }),
  example: { from: exampleFrom, id: exampleId },
});
