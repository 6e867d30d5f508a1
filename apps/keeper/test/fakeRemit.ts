import { protocolAbi } from "@dueday/core/abi/protocol";
import type { RawLog } from "@dueday/core/events/decodeProtocolEvent";
import { type Address, encodeAbiParameters, encodeEventTopics, erc20Abi, getAddress, type Hex, zeroHash } from "viem";

export const CONTRACT = getAddress(`0x${"c0".repeat(20)}`);
export const TOKEN = getAddress(`0x${"70".repeat(20)}`);

/** What one call of remit() settles. */
export type Page = { payments: number; fee: bigint; closes: boolean };

/** The logs of a remit() that settles a page. */
export function logsOf({ payments, fee, closes }: Page, day: number, caller: Address): RawLog[] {
  const event = (eventName: "CallerLog" | "Coordinates", args: object, data: Hex) => ({
    // The arguments are those of the event, which viem's type can't follow through the union of names.

    address: CONTRACT,
    topics: encodeEventTopics({ abi: protocolAbi, eventName, args } as never) as [Hex, ...Hex[]],
    data,
  });
  const coordinates = encodeAbiParameters(
    [{ type: "uint256" }, { type: "uint256" }, { type: "uint256" }],
    [1n, 1n, 0n],
  );
  const transfer = {
    address: TOKEN,
    // Both indexed arguments are given, so no topic is null.
    topics: encodeEventTopics({ abi: erc20Abi, eventName: "Transfer", args: { from: CONTRACT, to: caller } }) as [
      Hex,
      ...Hex[],
    ],
    data: encodeAbiParameters([{ type: "uint256" }], [fee]),
  };
  return [
    ...Array.from({ length: payments }, () =>
      event("Coordinates", { id: zeroHash, nextUncheckedDay: day }, coordinates),
    ),
    transfer,
    event("CallerLog", { timestamp: 1, checkedDay: day, caller }, encodeAbiParameters([{ type: "bool" }], [closes])),
  ];
}

/** What the 100,000 gas of a remit() cost on a fake chain, at 10 wei and a tip of 1. */
export const COST = 1_100_000n;

/** Pages of one day each that earn this much more than they cost. */
export function pagesOf(...nets: number[]): Page[] {
  return nets.map((net) => ({ payments: 2, fee: COST + BigInt(net), closes: true }));
}
