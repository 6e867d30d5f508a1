import { ListedPermitView } from "@dueday/core/schemas/permit";
import { toLowerCase } from "@dueday/core/text/toLowerCase";
import { permitsForAccount } from "@dueday/db/permits/permitsForAccount";
import { Type } from "@sinclair/typebox";
import { liveRead } from "../../operation/chainRead";
import { defineOperation, inQuery } from "../../operation/defineOperation";
import { requireOneStart } from "../../operation/paging";
import { accountAddress } from "../../operation/pathInputs";
import type { CountingPermit } from "./countingPermits";
import { answerPermits, permitList, permitPage, permitSummary } from "./permitPage";

export const listAccountPermits = defineOperation({
  ...liveRead,
  name: "list_account_permits",
  http: { method: "GET", path: "/accounts/:address/permits" },
  summary: "Kept permits of an account, or of who pays it",
  forAgents: "Kept permits that wait to be submitted: those of an account, or with role provider those of who pays it",
  description:
    "Permits that wait to be submitted and count at asOf, without their signatures: those that the account has signed, or as provider those of " +
    "subscribers of its plans, in the plan's token. POST /prepare/submit_permit prepares the transaction for any wallet with ether. Public, " +
    "as GET /remit/plan is, which names the permits that would save payments.",
  bucket: "cheap",
  area: "subscriptions",
  toolsets: ["read", "subscriber"],
  input: Type.Object({
    address: accountAddress,
    role: inQuery(
      Type.Optional(
        Type.Union([Type.Literal("subscriber"), Type.Literal("provider")], {
          default: "subscriber",
          expects: "subscriber or provider",
          description: "subscriber (default): what the account has signed; provider: what its subscribers have",
        }),
      ),
    ),
    ...permitPage,
  }),
  summarized: permitSummary,
  output: permitList(ListedPermitView),
  example: { address: "0x1111111111111111111111111111111111111111" },
  async handler(context, { address, role = "subscriber", ...page }) {
    requireOneStart(page);
    const { contract, chainId } = context.chain.config;
    const account = toLowerCase(address);
    const read = () => permitsForAccount(context.database, { chainId, contract, account, role }, page);
    const present = ({ view, tokenSymbol }: CountingPermit) => ({ ...view, tokenSymbol });
    return answerPermits(context, read, { ...page, present });
  },
});
