import { formatUnits } from "@dueday/core/amounts/decimalText";
import { LONGEST_PERMIT_SECONDS, PERMIT_TYPES } from "@dueday/core/permit/permit";
import { type Address, getAddress } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { planApprove } from "../prepare/planApprove";
import { preflightOf } from "../prepare/preparePlan";
import type { PreparedChain } from "../prepare/prepareTransactions";
import { readTokenApproveFacts } from "../prepare/readApproveFacts";
import { notReady } from "../prepare/refusalErrors";
import { summaries } from "../prepare/summaries";
import type { CoverageReader } from "../walk/createCoverageReader";
import { readPermitFacts } from "./readPermitFacts";

/** How far the deadline stays below the longest one, which a node that lags would judge to be too far ahead. */
const MARGIN_SECONDS = 3_600;

export type PreparePermitParameters = {
  chain: PreparedChain;
  coverage: CoverageReader;
  block: ChainBlock;
  /** The wallet that will sign. */
  from: string;
  token: Address;
  /** Number of periods, 1 to 120, of the plan with the longest period. */
  approvalPeriods: number;
};

/**
 * EIP-712 data of a permit with which a subscriber renews its allowance without a transaction: the allowance that `prepareApprove` would set
 * for the token.
 *
 * @throws ServiceError NOT_READY where the wallet pays nothing in the token, PERMIT_UNSUPPORTED, UPSTREAM_*
 */
export async function preparePermit(client: ChainClient, parameters: PreparePermitParameters) {
  const { chain, coverage, block, token, approvalPeriods } = parameters;
  const { contract } = chain;
  const owner = getAddress(parameters.from);
  const [facts, { domain, nonce }] = await Promise.all([
    readTokenApproveFacts(client, { account: owner, coverage, wish: { approvalPeriods }, contract, token, block }),
    readPermitFacts(client, { contract, token, owner, block }),
  ]);
  const plan = planApprove(facts, { contract });
  if (plan.refusals.length > 0) throw notReady(plan.refusals);
  const value = facts.outlook?.value ?? 0n;
  const deadline = block.timestamp + BigInt(LONGEST_PERMIT_SECONDS - MARGIN_SECONDS);
  const shown = { token: facts.token.address, tokenSymbol: facts.token.symbol, tokenDecimals: facts.token.decimals };
  return {
    summary: summaries.permit(shown, { account: owner, value, deadline }),
    warnings: [...plan.warnings],
    typedData: {
      domain,
      types: { EIP712Domain: [...PERMIT_TYPES.EIP712Domain], Permit: [...PERMIT_TYPES.Permit] },
      primaryType: "Permit" as const,
      message: {
        owner,
        spender: contract,
        value: value.toString(),
        nonce: nonce.toString(),
        deadline: deadline.toString(),
      },
    },
    value: formatUnits(value, facts.token.decimals),
    valueRaw: value.toString(),
    tokenDecimals: facts.token.decimals,
    deadline: deadline.toString(),
    instructions: steps(owner),
    preflight: preflightOf(plan, []),
  };
}

/** What a person or an agent does with the typed data. */
function steps(owner: Address) {
  return [
    `Compare summary with what was asked for, then let the wallet ${owner} sign typedData (eth_signTypedData_v4). It needs no ether.`,
    "POST /permits (or the tool keep_permit) takes from, token, value (valueRaw of this answer), deadline and the signature: a keeper may then submit it.",
    "To withdraw it later, DELETE /permits/:permitId; who has seen it can still submit it, until its nonce is used or its deadline has passed.",
  ].map((text, index) => ({ step: index + 1, text }));
}
