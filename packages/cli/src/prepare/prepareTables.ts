import { erc20Abi } from "@dueday/core/abi/erc20";
import { permitAbi, permitBytesAbi } from "@dueday/core/abi/permit";
import { protocolAbi } from "@dueday/core/abi/protocol";
import { PROTOCOL_DECIMALS } from "@dueday/core/amounts/tokenUnits";
import type { PreparedAnswer, PreparedPermit, SignedPermit } from "@dueday/sdk/actions";
import { type Abi, decodeFunctionData, formatUnits, getAbiItem, type Hex, isHex } from "viem";
import { type Cell, factsTable, type Table } from "../table";

const abi: Abi = [...protocolAbi, ...erc20Abi, ...permitAbi, ...permitBytesAbi];

/**
 * What a wallet would sign: the calls by their names, their arguments, what the simulation moves, and the warnings. The calls are decoded
 * here, from the calldata itself. `transactions` are the checked ones that will be signed; default: those of the answer.
 */
export function prepareTables(
  answer: PreparedAnswer | PreparedPermit,
  transactions?: readonly { to: string; data: string }[],
): Table[] {
  if ("typedData" in answer) return permitTables(answer);
  if (!("unsignedTransactions" in answer)) return [factsTable("Readiness", answer)];
  const { summary, gasEstimates, gasSummary, simulation, warnings, chainId } = answer;
  const calls = (transactions ?? answer.unsignedTransactions).map(({ to, data }) => ({ to, ...decodeCall(data) }));
  return [
    {
      title: `To sign on chain ${chainId}: ${summary}`,
      columns: ["transaction", "to", "call", "gas limit", "costs ETH"],
      rows: calls.map(({ to, name }, at): Cell[] => [
        at,
        to,
        name,
        gasEstimates[at]?.gasLimit,
        gasEstimates[at]?.estimatedCostEth,
      ]),
    },
    {
      title: `Arguments (in all ${gasSummary.totalGasLimit} gas, ${gasSummary.totalEstimatedCostEth} ETH)`,
      columns: ["transaction", "argument", "value"],
      rows: calls.flatMap(({ args }, at) => args.map(([name, value]): Cell[] => [at, name, value])),
    },
    {
      title: "Tokens that move in the simulation",
      columns: ["transaction", "account", "direction", "amount"],
      rows: simulation.results.flatMap(({ assetChanges }, at) =>
        assetChanges.map(({ account, direction, amount, symbol }): Cell[] => [
          at,
          account,
          direction,
          symbol === null ? amount : `${amount} ${symbol}`,
        ]),
      ),
    },
    warningsTable(warnings),
  ];
}

/** The result: the mined transactions, or the permit as the service keeps it. */
export function signedTables(signed: Signed): Table[] {
  if (!("receipts" in signed)) return [factsTable("Kept permit", signed)];
  const rows = signed.receipts.map(({ transactionHash, blockNumber }): Cell[] => [transactionHash, blockNumber]);
  return [{ title: "Mined", columns: ["transaction", "block"], rows }];
}

export type Signed = SignedPermit | { receipts: readonly { transactionHash: string; blockNumber: string }[] };

/** The fields of the typed data, as they are signed. */
function permitTables({ chainId, summary, typedData: { domain, message }, warnings }: PreparedPermit): Table[] {
  return [factsTable(`To sign on chain ${chainId}: ${summary}`, { domain, message }), warningsTable(warnings)];
}

function warningsTable(warnings: readonly { code: string; message: string }[]): Table {
  return {
    title: "Warnings",
    columns: ["code", "message"],
    rows: warnings.map(({ code, message }): Cell[] => [code, message]),
  };
}

function decodeCall(data: string): { name: string; args: [string, Cell][] } {
  if (!isHex(data)) return { name: "not calldata", args: [["data", data]] };
  try {
    return namedCall(data);
  } catch {
    return { name: "no known call of the protocol or a token", args: [["data", data]] };
  }
}

/** Throws if no known ABI has the selector, or the arguments do not fit. */
function namedCall(data: Hex) {
  const { functionName, args = [] } = decodeFunctionData({ abi, data });
  const item = getAbiItem({ abi, name: functionName, args });
  const inputs = item !== undefined && "inputs" in item ? item.inputs : [];
  return {
    name: `${functionName}()`,
    args: args.flatMap((value, at) => flatten(inputs[at]?.name || String(at), value)),
  };
}

function flatten(path: string, value: unknown): [string, Cell][] {
  // The protocol's amounts; an allowance is in units of its token, and the summary has it in tokens.
  if (typeof value === "bigint" && /(^|\.)amount$/.test(path)) return [[path, formatUnits(value, PROTOCOL_DECIMALS)]];
  if (typeof value !== "object" || value === null) return [[path, String(value)]];
  return Object.entries(value).flatMap(([key, each]: [string, unknown]) => flatten(`${path}.${key}`, each));
}
