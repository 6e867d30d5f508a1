import { DAY_MS } from "@dueday/core/calendar/dayNumber";
import { inertText } from "@dueday/core/text/inertText";
import type { AccountCharges } from "./accountCharges";

/** How often programs that subscribe to the calendar should read it again (RFC 7986). */
const REFRESH = "PT12H";

/**
 * Coming charges as a calendar (RFC 5545): one event for each charge, for the whole of its day in UTC. A charge keeps its UID, so that a
 * program which reads the calendar again updates the event. Names are the sellers' texts: they are escaped, and contain nothing that a
 * program would turn into a link.
 */
export function chargesCalendar({ chainId, account, charges, asOf }: AccountCharges): string {
  const stamp = `${new Date(asOf.blockTimestamp * 1000).toISOString().slice(0, 19).replace(/[-:]/g, "")}Z`;
  const events = charges.flatMap((charge) => {
    if (charge.date === null) return [];
    return [
      "BEGIN:VEVENT",
      `UID:${charge.date}-${charge.id}-${account.toLowerCase()}-${chainId}@dueday`,
      `DTSTAMP:${stamp}`,
      `DTSTART;VALUE=DATE:${compact(charge.date)}`,
      `DTEND;VALUE=DATE:${compact(dayAfter(charge.date))}`,
      `SUMMARY:${escapeText(summaryOf(charge))}`,
      `DESCRIPTION:${escapeText(descriptionOf(charge))}`,
      "TRANSP:TRANSPARENT",
      "END:VEVENT",
    ];
  });
  const lines = [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//Dueday//Coming charges//EN",
    "CALSCALE:GREGORIAN",
    "NAME:Dueday charges",
    "X-WR-CALNAME:Dueday charges",
    `REFRESH-INTERVAL;VALUE=DURATION:${REFRESH}`,
    `X-PUBLISHED-TTL:${REFRESH}`,
    ...events,
    "END:VCALENDAR",
  ];
  return lines.map((line) => `${fold(line)}\r\n`).join("");
}

type Charge = AccountCharges["charges"][number];

function summaryOf({ amount, tokenSymbol, planName, lacks }: Charge): string {
  const charge = `${amount} ${inertText(tokenSymbol)}, ${inertText(planName)}`;
  return lacks === null ? charge : `Will fail: ${charge}`;
}

function descriptionOf({ seller, provider, lacks, id }: Charge): string {
  const name =
    seller.name === null ? provider : `${inertText(seller.name)} (${seller.verified ? "verified" : "not verified"})`;
  const remedy = {
    allowance: ["The approval does not cover it. A charge that fails ends the subscription."],
    balance: ["The balance does not cover it. A charge that fails ends the subscription."],
  };
  return [`Seller: ${name}`, `Plan: ${id}`, ...(lacks === null ? [] : remedy[lacks])].join("\n");
}

/** `2026-12-01` as a DATE of the calendar. */
function compact(date: string): string {
  return date.replaceAll("-", "");
}

/** DTEND is exclusive: the day after the event. */
function dayAfter(date: string): string {
  return new Date(Date.parse(date) + DAY_MS).toISOString().slice(0, 10);
}

/** A TEXT value (RFC 5545, 3.3.11). */
function escapeText(text: string): string {
  return text.replace(/[\\;,]/g, "\\$&").replaceAll("\n", "\\n");
}

const MOST_OCTETS = 75;

/** Breaks a line at 75 octets at most, between characters (RFC 5545, 3.1). */
function fold(line: string): string {
  let folded = "";
  let octets = 0;
  for (const character of line) {
    const size = Buffer.byteLength(character);
    if (octets + size > MOST_OCTETS) {
      folded += "\r\n ";
      octets = 1;
    }
    folded += character;
    octets += size;
  }
  return folded;
}
