import { erc20Abi } from "@dueday/core/abi/erc20";
import { protocolAbi } from "@dueday/core/abi/protocol";
import { toFrequency } from "@dueday/core/calendar/frequency";
import type { Devnet } from "@dueday/devnet/startDevnet";
import { type Address, type Hex, parseAbi } from "viem";
import type { ChainSettings } from "./chainSettings";
import { type Book, createBook } from "./createBook";

/** A book and settings with what a devnet's contract has, whose subscriptions have one subscriber each. Read by viem, each view in a separate call. */
export async function copyOfDevnet(
  { client, contract, tokens, subscriptions }: Devnet,
  room: number,
): Promise<{ book: Book; settings: ChainSettings; head: { number: number; timestamp: number } }> {
  const [token] = tokens;
  if (token === undefined) throw new Error("the scenario has no token");
  const ofContract = { address: contract, abi: protocolAbi } as const;
  const ofToken = { address: token, abi: erc20Abi } as const;
  const { number, timestamp } = await client.getBlock();
  const book = createBook(room);
  for (const id of Object.values(subscriptions)) {
    const [record, [row]] = await Promise.all([
      client.readContract({ ...ofContract, functionName: "idSubMap", args: [id] }),
      client.readContract({ ...ofContract, functionName: "getSubscribersById", args: [id] }),
    ]);
    if (row === undefined) throw new Error(`${id} has no subscriber`);
    const [, amount, provider, , cancelled, frequency, dueDay] = record;
    const { subscriber, feeBalance } = row;
    const holding = await readHolding({ client, contract }, token, subscriber);
    const terms = { id, amount, provider, cancelled, frequency: toFrequency(frequency), dueDay };
    const account = { subscriber, subscribed: true, feeBalance, ...holding };
    book.add({ ...terms, ...account }, Number(number));
  }
  const [callerFee, systemFee, maxRemits, cancelLimit, nextUncheckedDay, approval, name, symbol, held, admin] =
    await Promise.all([
      client.readContract({ ...ofContract, functionName: "callerFee" }),
      client.readContract({ ...ofContract, functionName: "systemFee" }),
      client.readContract({ ...ofContract, functionName: "maxRemits" }),
      client.readContract({ ...ofContract, functionName: "cancelLimit" }),
      client.readContract({ ...ofContract, functionName: "nextUncheckedDay" }),
      client.readContract({ ...ofContract, functionName: "approvedERC20", args: [token] }),
      client.readContract({ ...ofToken, functionName: "name" }),
      client.readContract({ ...ofToken, functionName: "symbol" }),
      client.readContract({ ...ofToken, functionName: "balanceOf", args: [contract] }),
      client.readContract({
        address: contract,
        abi: parseAbi(["function defaultAdmin() view returns (address)"]),
        functionName: "defaultAdmin",
      }),
    ]);
  const [, decimals, , minimum] = approval;
  return {
    book,
    settings: {
      chainId: 31337,
      contract,
      admin,
      callerFee,
      systemFee,
      cancelLimit,
      nextUncheckedDay,
      maxRemits: Number(maxRemits),
      token: { address: token, name, symbol, decimals, minimum, balances: new Map([[contract.toLowerCase(), held]]) },
      longestList: 20_000,
    },
    head: { number: Number(number), timestamp: Number(timestamp) },
  };
}

async function readHolding({ client, contract }: Pick<Devnet, "client" | "contract">, token: Address, subscriber: Hex) {
  const ofToken = { address: token, abi: erc20Abi } as const;
  const [balance, allowance] = await Promise.all([
    client.readContract({ ...ofToken, functionName: "balanceOf", args: [subscriber] }),
    client.readContract({ ...ofToken, functionName: "allowance", args: [subscriber, contract] }),
  ]);
  return { balance, allowance };
}
