import { Type } from "@sinclair/typebox";
import { defineOperation } from "../../operation/defineOperation";
import { prepareInput } from "./prepareInput";
import { exampleFrom, exampleId, exampleSubscriber, idInBody, subscriberInBody } from "./subscriptionInput";
import { unsubscribeByProviderForm } from "./unsubscribeByProviderForm";

export const prepareUnsubscribeByProviderById = defineOperation({
  ...unsubscribeByProviderForm("prepare_unsubscribe_by_provider_by_id"),
  http: { method: "POST", path: "/prepare/unsubscribe_by_provider_by_id" },
  summary: "Unsigned removal of a subscriber by the provider, by id (preferred)",
  input: Type.Object({ ...prepareInput, ...idInBody, subscriber: subscriberInBody }),
  example: { from: exampleFrom, id: exampleId, subscriber: exampleSubscriber },
});
