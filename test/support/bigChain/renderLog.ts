import { erc20Abi } from "@dueday/core/abi/erc20";
import { protocolAbi } from "@dueday/core/abi/protocol";
import type { RawLog } from "@dueday/core/events/decodeProtocolEvent";
import type { RemitEvent } from "@dueday/core/remit/remitEvent";
import { type Abi, type Address, type Hex, toEventSelector } from "viem";
import { padded, word } from "./words";

const SUB_LOG = topicOf(protocolAbi, "SubLog");
const COORDINATES = topicOf(protocolAbi, "Coordinates");
const CALLER_LOG = topicOf(protocolAbi, "CallerLog");
const TRANSFER = topicOf(erc20Abi, "Transfer");

/** An event of remit(), or of another call of the contract, as a node returns it. */
export function renderLog(event: RemitEvent, contract: Address, timestamp: number): RawLog {
  const time = word(timestamp);
  switch (event.event) {
    case "SubLog": {
      const { id, provider, subscriber, amount, token, code } = event;
      const topics: Hex[] = [SUB_LOG, id, `0x${padded(provider)}`, `0x${padded(subscriber)}`];
      return { address: contract, topics, data: `0x${time}${word(amount)}${padded(token)}${word(code)}` };
    }
    case "Coordinates": {
      const { id, subscriberIndex, subscriptionIndex, frequency, nextUncheckedDay } = event;
      const topics: Hex[] = [COORDINATES, id, `0x${word(nextUncheckedDay)}`];
      const data: Hex = `0x${word(subscriberIndex)}${word(subscriptionIndex)}${word(frequency)}`;
      return { address: contract, topics, data };
    }
    case "CallerLog": {
      const { checkedDay, caller, isFinished } = event;
      const topics: Hex[] = [CALLER_LOG, `0x${time}`, `0x${word(checkedDay)}`, `0x${padded(caller)}`];
      return { address: contract, topics, data: `0x${word(isFinished ? 1 : 0)}` };
    }
    case "Transfer": {
      const { token, from, to, value } = event;
      const topics: Hex[] = [TRANSFER, `0x${padded(from)}`, `0x${padded(to)}`];
      return { address: token, topics, data: `0x${word(value)}` };
    }
  }
}

function topicOf(abi: Abi, name: string): Hex {
  const event = abi.find((item) => item.type === "event" && item.name === name);
  if (event?.type !== "event") throw new Error(`the ABI has no event ${name}`);
  return toEventSelector(event);
}
