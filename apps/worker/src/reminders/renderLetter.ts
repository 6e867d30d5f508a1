import { escapeHtml } from "@dueday/core/text/escapeHtml";

/** A part of a letter: a paragraph, facts under their names, or the link to a page. */
export type LetterPart =
  | string
  | { facts: readonly (readonly [name: string, value: string])[] }
  | { link: string; url: string };

/** The content of a mail, from which its text and its HTML are made. */
export type Letter = { subject: string; parts: readonly LetterPart[] };

/** What every mail ends with. */
export type LetterFooter = {
  /** Why it is sent. */
  reason: string;
  unsubscribeUrl: string;
};

/** Plain text and HTML of a letter, with the same words. The HTML has no script, and loads nothing. */
export function renderLetter(
  { parts }: Letter,
  { reason, unsubscribeUrl }: LetterFooter,
): { text: string; html: string } {
  const text = [...parts.map(toText), `--\n${reason}\nEnd these mails: ${unsubscribeUrl}`].join("\n\n");
  const end = `<p style="${SMALL}">${escapeHtml(reason)}<br><a href="${escapeHtml(unsubscribeUrl)}" style="color:inherit">End these mails</a></p>`;
  const html =
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"></head>' +
    `<body style="margin:0;padding:24px;font:16px/1.5 sans-serif"><div style="max-width:560px;margin:0 auto">${parts.map(toHtml).join("")}${end}</div></body></html>`;
  return { text: `${text}\n`, html };
}

const SMALL = "margin-top:32px;font-size:13px;color:#666";
const BUTTON =
  "display:inline-block;padding:12px 20px;border-radius:8px;background:#0b57d0;color:#ffffff;text-decoration:none";

function toText(part: LetterPart): string {
  if (typeof part === "string") return part;
  if ("link" in part) return `${part.link}:\n${part.url}`;
  return part.facts.map(([name, value]) => `${name}: ${value}`).join("\n");
}

function toHtml(part: LetterPart): string {
  if (typeof part === "string") return `<p>${escapeHtml(part)}</p>`;
  if ("link" in part) return `<p><a href="${escapeHtml(part.url)}" style="${BUTTON}">${escapeHtml(part.link)}</a></p>`;
  const rows = part.facts.map(
    ([name, value]) =>
      `<tr><th align="left" valign="top" style="padding:4px 16px 4px 0;font-weight:normal;color:#666">${escapeHtml(name)}</th><td style="padding:4px 0">${escapeHtml(value)}</td></tr>`,
  );
  return `<table role="presentation" style="border-collapse:collapse">${rows.join("")}</table>`;
}
