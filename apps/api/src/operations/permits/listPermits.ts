import { Address } from "@dueday/core/schema";
import { SignedPermitView } from "@dueday/core/schemas/permit";
import { toLowerCase } from "@dueday/core/text/toLowerCase";
import { listPermits as readPermits } from "@dueday/db/permits/listPermits";
import { Type } from "@sinclair/typebox";
import { liveRead } from "../../operation/chainRead";
import { defineOperation, inQuery } from "../../operation/defineOperation";
import { requireOneStart } from "../../operation/paging";
import { requireSubject } from "../../operation/requireSubject";
import type { CountingPermit } from "./countingPermits";
import { exampleToken } from "./permit";
import { answerPermits, permitList, permitPage, permitSummary } from "./permitPage";

const MOST_OWNERS = 50;

export const listPermits = defineOperation({
  ...liveRead,
  name: "list_permits",
  http: { method: "GET", path: "/permits" },
  summary: "Kept permits of a token, with their signatures",
  forAgents:
    "Kept permits of a token, which any wallet can submit by prepare_submit_permit; detail full has the signatures. Needs a developer key",
  description:
    "Needs the developer lane. Lists the permits that count at asOf, the oldest first: not expired, and the owner's nonce and allowance are still those at " +
    "which it signed. Permits that the chain shows to be over are dropped. Anyone who has a signature can submit it, until its nonce is used up: judge each by your own node.",
  bucket: "cheap",
  area: "subscriptions",
  toolsets: ["keeper"],
  errors: [...liveRead.errors, "LANE_REQUIRED"],
  input: Type.Object({
    token: inQuery({ ...Address, description: "The token" }),
    owner: inQuery(Type.Optional(Type.Array(Address, { maxItems: MOST_OWNERS, description: "Only of these owners" }))),
    ...permitPage,
  }),
  // A permit is submitted by its id: its signature, of up to 8 KB, is not needed.
  summarized: { omits: [...permitSummary.omits, "permits.signature"] },
  output: permitList(SignedPermitView),
  example: { token: exampleToken },
  async handler(context, { token, owner, ...page }) {
    requireSubject(context);
    requireOneStart(page);
    const { contract, chainId } = context.chain.config;
    const asked = { token: toLowerCase(token), owners: owner?.map(toLowerCase) ?? null };
    const read = () => readPermits(context.database, { chainId, contract, ...asked }, page);
    const present = ({ permit: { signature }, view }: CountingPermit) => ({ ...view, signature });
    return answerPermits(context, read, { ...page, present });
  },
});
