import { erc20Abi } from "@dueday/core/abi/erc20";
import { protocolAbi } from "@dueday/core/abi/protocol";
import { PROTOCOL_DECIMALS } from "@dueday/core/amounts/tokenUnits";
import type { PreparedAnswer } from "@dueday/sdk/actions";
import { type Abi, decodeFunctionData, formatUnits, getAbiItem, type Hex, isHex } from "viem";
import { type Cell, factsTable, type Table } from "../table";

const abi: Abi = [...protocolAbi, ...erc20Abi];

/**
 * What a wallet would sign: the calls by their names, their arguments, what the simulation moves, and the warnings. The calls are decoded
 * here, from the calldata itself. `transactions` are those that will be signed, where they were checked; default: those of the answer.
 */
export function prepareTables(answer: PreparedAnswer, transactions?: readonly { to: string; data: string }[]): Table[] {
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
      title: "What the simulation moves",
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
    {
      title: "Warnings",
      columns: ["code", "message"],
      rows: warnings.map(({ code, message }): Cell[] => [code, message]),
    },
  ];
}

function decodeCall(data: string): { name: string; args: [string, Cell][] } {
  if (!isHex(data)) return { name: "not calldata", args: [["data", data]] };
  try {
    return namedCall(data);
  } catch {
    return { name: "a function of neither the protocol nor ERC-20", args: [["data", data]] };
  }
}

/** Throws where neither ABI has the selector, or the arguments do not fit. */
function namedCall(data: Hex) {
  const { functionName, args = [] } = decodeFunctionData({ abi, data });
  const item = getAbiItem({ abi, name: functionName });
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
