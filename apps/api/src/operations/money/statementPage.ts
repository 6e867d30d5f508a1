import { escapeHtml } from "@dueday/core/text/escapeHtml";
import type { AccountStatement } from "./accountStatement";

const STYLE =
  "body{font:14px/1.4 system-ui,sans-serif;margin:2rem;color:#111}table{border-collapse:collapse;width:100%;margin:1rem 0}" +
  "th,td{text-align:left;padding:.25rem .5rem;border-bottom:1px solid #ccc;vertical-align:top}.n{text-align:right;" +
  "font-variant-numeric:tabular-nums;white-space:nowrap}.h{font-family:monospace;font-size:11px;word-break:break-all}" +
  "@media print{body{margin:0}a{display:none}tr{break-inside:avoid}}";

const KINDS: Readonly<Record<string, string>> = {
  initial: "Charge on subscribing",
  recurring: "Charge",
  failure: "Failed charge",
  refund_to_provider: "Fee balance, to the provider",
  refund_to_subscriber: "Fee balance, to the subscriber",
};

/** A statement as a page for print. It has no script; every text from the chain is escaped. @param query of the request */
export function statementPage(statement: AccountStatement, query: URLSearchParams): string {
  const { account, chainId, fromDate, toDate, totals, entries, asOf, nextAfter } = statement;
  const period = `${fromDate} to ${toDate}`;
  return [
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">`,
    `<title>Statement ${escapeHtml(period)}</title><style>${STYLE}</style></head><body>`,
    `<h1>Statement</h1><p>${escapeHtml(period)} (UTC), chain ${chainId}<br>Account <span class="h">${escapeHtml(account)}</span></p>`,
    totals.length === 0 ? "<p>Nothing was paid or received in this time.</p>" : totalsTable(totals),
    entries.length === 0 ? "" : entriesTable(entries),
    nextAfter === undefined ? "" : `<p>Continued: <a href="${nextLink(statement, query, nextAfter)}">next page</a></p>`,
    `<p>True for block ${escapeHtml(asOf.blockNumber)} of ${escapeHtml(new Date(asOf.blockTimestamp * 1000).toISOString())}${asOf.stale ? ", which may be out of date" : ""}.</p>`,
    "</body></html>",
  ].join("");
}

function totalsTable(totals: AccountStatement["totals"]): string {
  const rows = totals.map((total) => {
    const { tokenSymbol, received, returnedToProvider, paid, returnedToSubscriber, net } = total;
    return row([text(tokenSymbol), ...[received, returnedToProvider, paid, returnedToSubscriber, net].map(number)]);
  });
  return table(["Token", "Received", "Returned prepayments received", "Paid", "Returned to you", "Net"], rows);
}

function entriesTable(entries: AccountStatement["entries"]): string {
  const rows = entries.map((entry) => {
    const { date, side, kind, planName, provider, subscriber, tokenSymbol, gross, failed, net, transactionHash } =
      entry;
    const other = side === "received" ? subscriber : provider;
    return row([
      text(date ?? ""),
      text(KINDS[kind] ?? kind),
      `<td>${escapeHtml(planName)}<br><span class="h">${escapeHtml(other)}</span></td>`,
      number(gross),
      number(failed),
      number(net),
      text(tokenSymbol),
      `<td class="h">${escapeHtml(transactionHash)}</td>`,
    ]);
  });
  return table(["Date", "What", "Plan and other side", "Charged", "Failed", "Net", "Token", "Transaction"], rows);
}

function table(headers: readonly string[], rows: readonly string[]): string {
  const head = headers.map((header) => `<th>${header}</th>`).join("");
  return `<table><thead><tr>${head}</tr></thead><tbody>${rows.join("")}</tbody></table>`;
}

function row(cells: readonly string[]): string {
  return `<tr>${cells.join("")}</tr>`;
}

function text(value: string): string {
  return `<td>${escapeHtml(value)}</td>`;
}

function number(value: string): string {
  return `<td class="n">${escapeHtml(value)}</td>`;
}

/** The statement's own address with another `after`. It names the days, so that its range stays the same after midnight. */
function nextLink({ chainId, fromDate, toDate }: AccountStatement, query: URLSearchParams, after: string): string {
  const shown = { chainId: String(chainId), fromDate: fromDate ?? "", toDate: toDate ?? "", after };
  return escapeHtml(`?${new URLSearchParams({ ...Object.fromEntries(query), ...shown })}`);
}
