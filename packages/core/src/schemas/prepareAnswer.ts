import { type Static, type TObject, type TProperties, Type } from "@sinclair/typebox";
import { Issues, Warnings } from "../errors";
import { EventView } from "../events/eventView";
import { listOf } from "../paging";
import {
  Address,
  AsOf,
  ChainId,
  Count,
  DecimalString,
  described,
  Hex,
  hexString,
  IntegerString,
  oneLine,
  PositiveCount,
  RequestId,
  Sentence,
  ShortText,
  TokenAmount,
} from "../schema";

/** Schemas of the answers of prepare operations. */

export const Instruction = Type.Object({ step: PositiveCount, text: Sentence });
export type Instruction = Static<typeof Instruction>;

/** The most transactions of one batch. */
const BATCH_LIMIT = 10;

/** The steps of a batch, and what to do before and after it. */
export const Instructions = Type.Array(Instruction, { maxItems: 2 * BATCH_LIMIT });

export const UnsignedTransaction = Type.Object({
  to: Address,
  data: Hex,
  value: IntegerString,
  chainId: ChainId,
  from: Address,
});
export type UnsignedTransaction = Static<typeof UnsignedTransaction>;

/** A number as JSON-RPC encodes it: hex without leading zeros. */
const Quantity = hexString({ pattern: "^0x(?:0|[1-9a-f][0-9a-f]*)$", maxLength: 66 });

/** The batch as the parameter of `wallet_sendCalls` (EIP-5792). */
export const WalletCalls = Type.Object({
  version: Type.Literal("2.0.0"),
  chainId: Quantity,
  from: Address,
  atomicRequired: Type.Literal(false, { description: "The calls are safe one after another" }),
  calls: Type.Array(Type.Object({ to: Address, data: Hex, value: Quantity }), { minItems: 1, maxItems: BATCH_LIMIT }),
  capabilities: Type.Optional(
    Type.Object(
      {
        paymasterService: Type.Object(
          { url: oneLine(2_048) },
          { description: "The paymaster of the request (ERC-7677)" },
        ),
      },
      { description: "Present where the request has paymasterUrl" },
    ),
  ),
});
export type WalletCalls = Static<typeof WalletCalls>;

export const AssetChange = Type.Composite([
  Type.Object({ account: described(Address, "The account that gains or loses") }),
  TokenAmount,
  Type.Object({ direction: Type.Union([Type.Literal("in"), Type.Literal("out")]) }),
]);
export type AssetChange = Static<typeof AssetChange>;

export const Simulation = Type.Object({
  success: Type.Boolean(),
  method: Type.Union([Type.Literal("eth_simulateV1"), Type.Literal("eth_call"), Type.Literal("rules")], {
    description:
      "eth_simulateV1: in sequence on one state. eth_call (on nodes without the former): each alone, with a state override for the " +
      "allowance that the earlier ones leave; no logs, no asset changes. rules: a later transaction could not be run and counts as " +
      "successful because no rule of the protocol forbids it",
  }),
  blockNumber: IntegerString,
  results: Type.Array(
    Type.Object({
      success: Type.Boolean(),
      gasUsed: IntegerString,
      logs: listOf(EventView),
      assetChanges: described(listOf(AssetChange), "Net change of each account and token, by the Transfer events"),
    }),
    { maxItems: BATCH_LIMIT },
  ),
});
export type Simulation = Static<typeof Simulation>;

export const GasEstimate = Type.Object({
  gasLimit: IntegerString,
  maxFeePerGas: IntegerString,
  maxPriorityFeePerGas: IntegerString,
  l1FeeWei: Type.Optional(IntegerString),
  operatorFeeWei: Type.Optional(IntegerString),
  estimatedCostWei: IntegerString,
  estimatedCostEth: DecimalString,
  source: Type.Union([Type.Literal("simulated"), Type.Literal("estimated"), Type.Literal("heuristic")]),
});
export type GasEstimate = Static<typeof GasEstimate>;

export const GasSummary = Type.Object({
  totalGasLimit: IntegerString,
  totalEstimatedCostWei: IntegerString,
  totalEstimatedCostEth: DecimalString,
  transactionCount: Count,
});
export type GasSummary = Static<typeof GasSummary>;

const RemitGasSummary = Type.Composite([
  GasSummary,
  Type.Object({
    backlogMultiplier: described(PositiveCount, "remit() calls until caught up"),
    totalBacklogEstimatedCostWei: IntegerString,
    totalBacklogEstimatedCostEth: DecimalString,
  }),
]);

const identified = {
  summary: described(Sentence, "What signing does, in one sentence: compare it with what was asked for"),
  requestId: RequestId,
  chainId: ChainId,
  instructions: Instructions,
  warnings: Warnings,
  asOf: AsOf,
};

/** Answer of a prepare operation: the full one, or with `readinessOnly` the preflight alone. `preflight` is the operation's own. */
export function prepareAnswer<T extends TProperties>(preflight: TObject<T>) {
  return twoForms({ gasSummary: GasSummary }, preflight);
}

/** The answer of remit, with the cost of the whole backlog. */
export function remitAnswer<T extends TProperties>(preflight: TObject<T>) {
  return twoForms({ gasSummary: RemitGasSummary }, preflight);
}

function twoForms<P extends TProperties, T extends TProperties>(own: P, preflight: TObject<T>) {
  const full = Type.Object({
    ...identified,
    unsignedTransactions: Type.Array(UnsignedTransaction, { minItems: 1, maxItems: BATCH_LIMIT }),
    signingMode: Type.Union([Type.Literal("raw"), Type.Literal("eip5792")]),
    eip5792: Type.Optional(WalletCalls),
    ...own,
    simulation: Simulation,
    gasEstimates: Type.Array(GasEstimate, { maxItems: BATCH_LIMIT }),
    preflight,
  });
  const readinessOnly = Type.Object({
    ...identified,
    readinessOnly: Type.Literal(true),
    operation: ShortText,
    ready: Type.Boolean(),
    issues: Issues,
    details: preflight,
  });
  return Type.Union([full, readinessOnly]);
}
