import { amountFields } from "@dueday/core/amounts/tokenAmount";
import { toTokenUnits } from "@dueday/core/amounts/tokenUnits";
import { timestampToIso } from "@dueday/core/calendar/dates";
import { decodeProtocolEvent, isBrokenProtocolEvent, type RawLog } from "@dueday/core/events/decodeProtocolEvent";
import { decodeTokenEvent, type TokenEvent } from "@dueday/core/events/decodeTokenEvent";
import type { EventView } from "@dueday/core/events/eventView";
import type { ProtocolEvent } from "@dueday/core/events/protocolEvent";
import { subLogName } from "@dueday/core/events/subLogEvents";
import { cleanText } from "@dueday/core/text/cleanText";
import { type Address, getAddress } from "viem";
import { upstreamError } from "../client/upstreamError";
import type { TokenInfos } from "../reads/readTokenInfos";

export type PresentEventsParameters = {
  logs: readonly RawLog[];
  contract: Address;
  /** The tokens of `tokensOfLogs`: an amount can't be written without its token's decimals. */
  tokens: TokenInfos;
};

/**
 * Checks the logs of the contract. Throws ServiceError UPSTREAM_ERROR where one does not have the layout of its event: a plan or
 * a list of events that leaves such a log out would be wrong.
 */
export function expectProtocolEvents(logs: readonly RawLog[], contract: Address, method: string): void {
  const protocol = contract.toLowerCase();
  const isOfProtocol = ({ address }: RawLog) => address.toLowerCase() === protocol;
  if (logs.some((log) => isOfProtocol(log) && isBrokenProtocolEvent(log))) {
    throw upstreamError({ kind: "malformed" }, method);
  }
}

/**
 * The public form of the protocol's events and of the transfers and approvals of known tokens, in order; other logs are
 * skipped. Amounts have the token's decimals, texts are cleaned.
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
  switch (event.event) {
    case "SubLog": {
      const token = getAddress(event.token);
      const decimals = tokens.get(token)?.decimals;
      return {
        eventName: subLogName(event.code),
        address,
        id: event.id,
        provider: getAddress(event.provider),
        subscriber: getAddress(event.subscriber),
        token,
        ...symbolField(token, tokens),
        ...(decimals === undefined ? {} : amountFields(toTokenUnits(event.amount, decimals), decimals)),
        ...timeFields(event.timestamp),
      };
    }
    case "DetailsLog":
      return {
        eventName: "DetailsLog",
        address,
        id: event.id,
        provider: getAddress(event.provider),
        ...textFields(event.url, event.description),
        ...timeFields(event.timestamp),
      };
    case "ProvDetailsLog":
      return {
        eventName: "ProvDetailsLog",
        address,
        provider: getAddress(event.provider),
        ...textFields(event.url, event.description),
        ...timeFields(event.timestamp),
      };
    case "CallerLog":
      return {
        eventName: "CallerLog",
        address,
        caller: getAddress(event.caller),
        dayNumber: event.checkedDay,
        isFinished: event.isFinished,
        ...timeFields(event.timestamp),
      };
    case "Coordinates":
      return { eventName: "Coordinates", address, id: event.id, dayNumber: event.nextUncheckedDay };
    case "UList":
      return {
        eventName: "UList",
        address,
        id: event.id,
        subscriber: getAddress(event.subscriber),
        ...timeFields(event.timestamp),
      };
  }
}

function tokenView(event: TokenEvent, token: Address, tokens: TokenInfos): EventView {
  const decimals = tokens.get(token)?.decimals ?? 0;
  const fields = {
    address: token,
    token,
    ...symbolField(token, tokens),
    ...amountFields(event.value, decimals),
  };
  if (event.event === "Approval") {
    return { eventName: "Approval", ...fields, owner: getAddress(event.owner), spender: getAddress(event.spender) };
  }
  return { eventName: "Transfer", ...fields, from: getAddress(event.from), to: getAddress(event.to) };
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
