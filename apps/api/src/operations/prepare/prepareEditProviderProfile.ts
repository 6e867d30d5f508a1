import {
  prepareEditProviderProfile as prepare,
  requireProfile,
} from "@dueday/chain/prepare/prepareEditProviderProfile";
import { DESCRIPTION_LIMIT_BYTES } from "@dueday/core/checkDetails";
import { plainText } from "@dueday/core/schema";
import { ProfilePreflight } from "@dueday/core/schemas/preflight";
import { prepareAnswer } from "@dueday/core/schemas/prepareAnswer";
import { Type } from "@sinclair/typebox";
import { defineOperation, inBody } from "../../operation/defineOperation";
import { answerPrepare, prepareOperation } from "./answerPrepare";
import { exampleFrom, prepareInput, urlText } from "./prepareInput";

const NAME = "prepare_edit_provider_profile";

const text = (name: string) => ({
  ...plainText(DESCRIPTION_LIMIT_BYTES),
  expects: `a string of at most ${DESCRIPTION_LIMIT_BYTES} bytes of UTF-8`,
  description: `${name}; may be empty; at most ${DESCRIPTION_LIMIT_BYTES} bytes`,
});

export const prepareEditProviderProfile = defineOperation({
  ...prepareOperation,
  toolsets: ["provider"],
  name: NAME,
  http: { method: "POST", path: "/prepare/edit_provider_profile" },
  summary: "Unsigned edit of a provider's own profile",
  forAgents: "For a provider: the unsigned transaction that replaces its public profile, all six texts",
  description:
    "Unsigned editProvDetails(), to be signed by the provider. It replaces all six texts; the profile is public and not verified. " +
    "GET /providers/:address shows the latest.",
  input: Type.Object({
    ...prepareInput,
    profile: inBody(
      Type.Object(
        {
          description: text("What the provider offers"),
          company: text("Name of the company"),
          url: urlText,
          domain: text("Domain of its site"),
          email: text("Address for questions"),
          misc: text("Anything else"),
        },
        { description: "Public, on the chain" },
      ),
    ),
  }),
  output: prepareAnswer(ProfilePreflight),
  example: {
    from: exampleFrom,
    profile: {
      description: "News about fountains",
      company: "Fountain Press",
      url: "https://example.com",
      domain: "example.com",
      email: "mail@example.com",
      misc: "",
    },
  },
  async handler(context, input) {
    return answerPrepare(context, NAME, { ...input, profile: requireProfile(input.profile) }, prepare);
  },
});
