import { escapeHtml } from "@dueday/core/text/escapeHtml";
import type { Exchange, RenderError } from "../../http/exchange";
import type { OpenCall } from "../../http/openCall";
import type { Route } from "../../http/routes";
import type { ProcessContext } from "../../operation/context";
import type { Operation } from "../../operation/defineOperation";
import { execute } from "../../operation/execute";
import { confirmReminders } from "../../operations/reminders/confirmReminders";
import { unsubscribeReminders } from "../../operations/reminders/unsubscribeReminders";

/** A link in mails: what its page asks, and what it shows when that is done. */
type MailLink = { operation: Operation; path: string; question: string; button: string; done: string };

const LINKS: readonly MailLink[] = [
  {
    operation: confirmReminders,
    path: "/mail/confirm",
    question: "Confirm that this mailbox is yours: then Dueday reminds you of the payments of your account.",
    button: "Confirm the mailbox",
    done: "The mailbox is confirmed. You can close this page.",
  },
  {
    operation: unsubscribeReminders,
    path: "/mail/unsubscribe",
    question: "End all reminders to this mailbox: the mailbox is deleted from Dueday.",
    button: "End the reminders",
    done: "The mailbox is deleted. No more reminders are sent to it.",
  },
];

/** Enough for `List-Unsubscribe=One-Click` and for a form. The body is not read: the token is in the query, which no log contains. */
const BODY_LIMIT = 1_024;

/**
 * The pages behind the links in mails. GET changes nothing, because programs that check mails follow links; the button on the page sends
 * POST, and so do mailboxes with one click (RFC 8058), without a session and without Origin. They take from no bucket: a mailbox provider
 * sends the clicks of many people from one address, and a token that was not made here costs no read of the database.
 */
export function mailLinkRoutes({ context, openCall }: { context: ProcessContext; openCall: OpenCall }): Route[] {
  return LINKS.flatMap(({ operation, path, question, button, done }) => {
    const follow = async (exchange: Exchange) => {
      const call = openCall(exchange, exchange.chain, null);
      await execute(operation, context, call, { values: { token: exchange.query.get("token") ?? "" }, issues: [] });
      return respondPage(200, `<p>${escapeHtml(done)}</p>`);
    };
    const ask = async () =>
      respondPage(
        200,
        `<p>${escapeHtml(question)}</p><form method="post"><button>${escapeHtml(button)}</button></form>`,
      );
    return [
      { method: "GET", path, bucket: null, bodyLimit: 0, answer: ask },
      { method: "POST", path, bucket: null, bodyLimit: BODY_LIMIT, answer: follow, renderError },
    ];
  });
}

const renderError: RenderError = (_, { status, message, headers }) =>
  respondPage(status, `<p>${escapeHtml(message)}</p>`, headers);

const STYLE = `:root{color-scheme:light dark}body{font:1.125rem/1.5 system-ui,sans-serif;max-width:32rem;margin:3rem auto;padding:0 1rem}
button{font:inherit;padding:.75rem 1.5rem;border:0;border-radius:.5rem;background:#0b57d0;color:#fff;cursor:pointer}`;

/** The token is in the address of the page: nothing is loaded, nothing is sent elsewhere, and no copy is kept. */
function respondPage(status: number, content: string, headers: Readonly<Record<string, string>> = {}): Response {
  const page = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex"><title>Dueday</title><style>${STYLE}</style></head><body><main><h1>Reminders</h1>${content}</main></body></html>`;
  return new Response(page, {
    status,
    headers: {
      ...headers,
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy":
        "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
      // With "no-referrer" a browser sends the form with `Origin: null`, which is refused where the person is signed in.
      "Referrer-Policy": "same-origin",
      "Cache-Control": "no-store",
    },
  });
}
