import { Type } from "@sinclair/typebox";
import { defineOperation } from "../../operation/defineOperation";
import { cancelForm } from "./cancelForm";
import { prepareInput } from "./prepareInput";
import { exampleFrom, exampleId, idInBody } from "./subscriptionInput";

export const prepareCancelSubscriptionById = defineOperation({
  ...cancelForm("prepare_cancel_subscription_by_id"),
  http: { method: "POST", path: "/prepare/cancel_subscription_by_id" },
  summary: "Unsigned cancellation by the provider, by id (preferred)",
  input: Type.Object({ ...prepareInput, ...idInBody }),
  example: { from: exampleFrom, id: exampleId },
});
