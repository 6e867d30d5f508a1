import { Type } from "@sinclair/typebox";
import { defineOperation } from "../../operation";
import { prepareInput } from "../../schema/prepareInput";
import { exampleFrom, exampleId, idInBody } from "../../schema/subscriptionInput";
import { cancelForm } from "./cancelForm";

export const prepareCancelSubscriptionById = defineOperation({
  ...cancelForm("prepare_cancel_subscription_by_id"),
  http: { method: "POST", path: "/prepare/cancel_subscription_by_id" },
  summary: "Unsigned cancellation by the provider, by id (preferred)",
  input: Type.Object({ ...prepareInput, ...idInBody }),
  example: { from: exampleFrom, id: exampleId },
});
