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
import { answerPermits, permitList, permitPage } from "./permitPage";

const MOST_OWNERS = 50;

export const listPermits = defineOperation({
  ...liveRead,
  name: "list_permits",
  http: { method: "GET", path: "/permits" },
  summary: "Kept permits of a token, with their signatures",
  description:
    "Needs the developer lane. Lists the permits that count at asOf, the oldest first: not expired, and the owner's nonce and allowance are still those at " +
    "which it signed. Permits that the chain shows to be over are dropped. Anyone who has a signature can submit it, until its nonce is used up: judge each by your own node.",
  bucket: "cheap",
  area: "subscriptions",
  toolsets: [],
  errors: [...liveRead.errors, "LANE_REQUIRED"],
  input: Type.Object({
    token: inQuery({ ...Address, description: "The token" }),
    owner: inQuery(
      Type.Optional(
        Type.Array(Address, { maxItems: MOST_OWNERS, description: "Only of these owners; may be repeated" }),
      ),
    ),
    ...permitPage,
  }),
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
