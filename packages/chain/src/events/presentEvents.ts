import { amountFields } from "@dueday/core/amounts/tokenAmount";
import { toTokenUnits } from "@dueday/core/amounts/tokenUnits";
import { timestampToIso } from "@dueday/core/calendar/dates";
import {
  decodeProtocolEvent,
  decodeTokenEvent,
  type ProtocolEvent,
  type RawLog,
  type TokenEvent,
} from "@dueday/core/events/decodeEvent";
import { subLogName } from "@dueday/core/events/eventNames";
import type { EventView } from "@dueday/core/events/eventView";
import { cleanText } from "@dueday/core/text/cleanText";
import { type Address, getAddress } from "viem";
import type { TokenInfos } from "../reads/readTokenInfos";

export type PresentEventsParameters = {
  logs: readonly RawLog[];
  contract: Address;
  /** Of `tokensOfLogs`: without its token's decimals an amount can't be written. */
  tokens: TokenInfos;
};

/**
 * The public form of the protocol's events and of the transfers and approvals of known tokens, in order. Logs that are none of
 * these are left out. Amounts are in token units, the 18 decimals of SubLog converted; texts are cleaned.
 */
export function presentEvents({ logs, contract, tokens }: PresentEventsParameters): EventView[] {
  const views: EventView[] = [];
  for (const log of logs) {
    const address = getAddress(log.address);
    if (address === getAddress(contract)) {
      const event = decodeProtocolEvent(log);
      if (event !== null) views.push(protocolView(event, address, tokens));
    } else {
      const event = decodeTokenEvent(log);
      if (event !== null && tokens.has(address)) views.push(tokenView(event, address, tokens));
    }
  }
  return views;
}

function protocolView(event: ProtocolEvent, address: Address, tokens: TokenInfos): EventView {
  switch (event.eventName) {
    case "SubLog": {
      const { id, provider, subscriber, timestamp, amount, token, subScriptEvent } = event.args;
      const decimals = tokens.get(token)?.decimals;
      return {
        eventName: subLogName(subScriptEvent),
        address,
        id,
        provider,
        subscriber,
        token,
        ...symbolField(token, tokens),
        ...(decimals === undefined ? {} : amountFields(toTokenUnits(amount, decimals), decimals)),
        ...timeFields(timestamp),
      };
    }
    case "DetailsLog": {
      const { id, provider, timestamp, url, description } = event.args;
      return {
        eventName: "DetailsLog",
        address,
        id,
        provider,
        ...textFields(url, description),
        ...timeFields(timestamp),
      };
    }
    case "ProvDetailsLog": {
      const { provider, timestamp, url, description } = event.args;
      return {
        eventName: "ProvDetailsLog",
        address,
        provider,
        ...textFields(url, description),
        ...timeFields(timestamp),
      };
    }
    case "CallerLog": {
      const { timestamp, checkedDay, caller, isFinished } = event.args;
      return { eventName: "CallerLog", address, caller, dayNumber: checkedDay, isFinished, ...timeFields(timestamp) };
    }
    case "Coordinates":
      return { eventName: "Coordinates", address, id: event.args.id, dayNumber: event.args.nextUncheckedDay };
    case "UList": {
      const { timestamp, id, subscriber } = event.args;
      return { eventName: "UList", address, id, subscriber, ...timeFields(timestamp) };
    }
  }
}

function tokenView(event: TokenEvent, token: Address, tokens: TokenInfos): EventView {
  const decimals = tokens.get(token)?.decimals ?? 0;
  const fields = {
    address: token,
    token,
    ...symbolField(token, tokens),
    ...amountFields(event.args.value, decimals),
  };
  if (event.eventName === "Approval") {
    return { eventName: "Approval", ...fields, owner: event.args.owner, spender: event.args.spender };
  }
  return { eventName: "Transfer", ...fields, from: event.args.from, to: event.args.to };
}

function symbolField(token: Address, tokens: TokenInfos): { tokenSymbol?: string } {
  const symbol = tokens.get(token)?.symbol;
  return symbol === undefined ? {} : { tokenSymbol: symbol };
}

function textFields(url: string, description: string) {
  const cleanUrl = cleanText(url);
  const cleanDescription = cleanText(description);
  const truncated = cleanUrl.truncated || cleanDescription.truncated;
  return { url: cleanUrl.text, description: cleanDescription.text, ...(truncated ? { truncated } : {}) };
}

function timeFields(timestamp: number) {
  return { timestamp, formattedTimestamp: timestampToIso(timestamp) };
}
