import { amountFields } from "@dueday/core/amounts/tokenAmount";
import { encodeApprove } from "@dueday/core/calldata/encodeApprove";
import { encodePermit } from "@dueday/core/calldata/encodePermit";
import type { KeptPermit } from "@dueday/core/permit/permit";
import type { Refusal } from "@dueday/core/refusal";
import type { PermitFacts } from "@dueday/core/schemas/permit";
import { getAddress } from "viem";
import type { ChainClient } from "../client/createChainClient";
import type { PlannedCall, PreparePlan } from "../prepare/preparePlan";
import { type PrepareParameters, prepareTransactions } from "../prepare/prepareTransactions";
import { summaries } from "../prepare/summaries";
import { expectToken } from "../reads/expectToken";
import { readTokenInfos } from "../reads/readTokenInfos";
import { readStanding } from "./readStanding";
import { refusalsOf, tryPermit } from "./tryPermit";

type PrepareSubmitPermit = Omit<PrepareParameters, "coverage" | "prefetched"> & {
  permit: KeptPermit;
  /** Uses the permit up and sets the allowance to 0 after it. Only the owner can. */
  revoke?: boolean | undefined;
};

/**
 * Unsigned permit() with the owner's signature, which any wallet may send; with `revoke`, the owner's approve(0) follows. To use the permit
 * up ends it for good: an unused permit could still be submitted by others who have seen it.
 *
 * @throws ServiceError as `prepareTransactions`
 */
export async function prepareSubmitPermit(client: ChainClient, parameters: PrepareSubmitPermit) {
  return prepareTransactions(client, { ...parameters, plan: plan(client, parameters) });
}

async function plan(
  client: ChainClient,
  { permit, revoke = false, from, chain: { contract }, block }: PrepareSubmitPermit,
): Promise<PreparePlan<PermitFacts>> {
  const { token: address, owner, value, deadline } = permit;
  const data = encodePermit(permit);
  const [tokens, standing, trial] = await Promise.all([
    readTokenInfos(client, { contract, tokens: [address], block }),
    readStanding(client, { contract, permits: [permit], block }),
    tryPermit(client, { token: address, permit, data, block }),
  ]);
  // The owner may revoke a permit that does not count for us any more: others can submit it while it works.
  const isWanted = standing[0]?.counts === true || (revoke && trial.works);
  const token = expectToken(tokens, address);
  const shown = { token: address, tokenSymbol: token.symbol, tokenDecimals: token.decimals };
  const submit: PlannedCall = { title: "permit", to: address, data, token };
  const approves = { token: address, spender: contract, value: 0n };
  const end: PlannedCall = { title: "revoke", to: address, data: encodeApprove(contract, 0n), token, approves };
  return {
    facts: { ...shown, owner, ...amountFields(value, token.decimals), deadline: deadline.toString() },
    summary: revoke
      ? summaries.revokePermit(shown, { account: owner })
      : summaries.submitPermit(shown, { account: owner, value }),
    refusals: [
      ...(revoke && getAddress(from) !== owner ? [OWNER_ALONE] : []),
      ...(isWanted ? refusalsOf(trial) : [GONE]),
    ],
    warnings: [],
    ways: [revoke ? [submit, end] : [submit]],
  };
}

const OWNER_ALONE: Refusal = {
  issue: { code: "NOT_ALLOWED", path: "from", message: "Only the owner of the permit can revoke it: send its address" },
};

const GONE: Refusal = {
  issue: {
    code: "EXPIRED",
    path: "permitId",
    message:
      "The permit no longer counts: it was used, has expired, or the allowance has changed since it was signed. Its owner can sign another one.",
  },
};
