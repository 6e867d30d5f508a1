import { presentSubscription } from "@dueday/chain/reads/presentSubscription";
import { readSubscriptionFacts } from "@dueday/chain/reads/readSubscriptionFacts";
import { encodeEditDetails } from "@dueday/core/calldata/encodeEditDetails";
import { Type } from "@sinclair/typebox";
import { getAddress } from "viem";
import { defineOperation } from "../../operation/defineOperation";
import { detailsInBody } from "./detailsInput";
import { singleAnswer } from "./prepareAnswer";
import { prepareCommon } from "./prepareCommon";
import { prepareInput } from "./prepareInput";
import { prepareTransaction } from "./prepareTransaction";
import { detailsWarnings, requireDetails } from "./requireDetails";
import { resolveSubscription } from "./resolveSubscription";
import { exampleFrom, exampleId, idInBody } from "./subscriptionInput";
import { SubscriptionPreflight } from "./subscriptionPreflight";

const NAME = "prepare_edit_details";

export const prepareEditDetails = defineOperation({
  ...prepareCommon,
  toolsets: ["provider"],
  name: NAME,
  http: { method: "POST", path: "/prepare/edit_details" },
  summary: "Unsigned edit of a subscription's url and description by its provider",
  description:
    "Unsigned editDetails(), to be signed by the provider; both texts are replaced. The chain would accept it from anybody and " +
    "change nothing, so another wallet is refused here.",
  errors: [...prepareCommon.errors, "NOT_FOUND"],
  input: Type.Object({ ...prepareInput, ...idInBody, ...detailsInBody }),
  output: singleAnswer(SubscriptionPreflight),
  example: { from: exampleFrom, id: exampleId, details: { url: "https://example.com/plan", description: "The plan" } },
  async handler(context, input) {
    const provider = getAddress(input.from);
    const { contract } = context.chain.config;
    const { details } = input;
    requireDetails(details);
    const resolve = resolveSubscription(context, input, readSubscriptionFacts);
    return prepareTransaction(context, {
      operation: NAME,
      input,
      plan: async (client, block) => {
        const { record, token } = await resolve(client, block);
        const message =
          "Only the provider of this subscription may edit its details: the transaction would change nothing.";
        return {
          facts: { subscription: presentSubscription(record, token) },
          // The chain would not refuse: there is no revert to show.
          refusals: record.provider === provider ? [] : [{ issue: { code: "NOT_THE_PROVIDER", message } }],
          warnings: detailsWarnings(details),
          ways: [[{ title: "editDetails", to: contract, data: encodeEditDetails(details, record.id) }]],
        };
      },
    });
  },
});
