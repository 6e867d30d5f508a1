import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { escapeHtml } from "@dueday/core/text/escapeHtml";
import { type ParsedMail, simpleParser } from "mailparser";
import { SMTPServer } from "smtp-server";
import { sampleMails } from "./sampleMails";

export type DemoMail = {
  /** For SMTP_URL. */
  smtpUrl: string;
  /** The page of the mailbox; `/dev/mails` below it previews every kind of mail. */
  url: string;
  stop(): Promise<void>;
};

const MOST_KEPT = 500;

/** A mail server on this machine that takes every mail and shows it on a page, so that reminders can be tried without a mailbox. */
export async function startDemoMail(port: number): Promise<DemoMail> {
  /** By the number under which each is linked, the oldest first. */
  const taken = new Map<number, ParsedMail>();
  let count = 0;
  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS", "AUTH"],
    closeTimeout: 100,
    onData(stream, _session, callback) {
      simpleParser(stream).then(
        (mail) => {
          taken.set(count, mail);
          taken.delete(count++ - MOST_KEPT);
          callback();
        },
        (error: unknown) => callback(error instanceof Error ? error : new Error("the mail can't be parsed")),
      );
    },
  });
  smtp.listen(0, "127.0.0.1");
  await once(smtp.server, "listening");
  // It listens on a port, so the address is not a path.
  const { port: smtpPort } = smtp.server.address() as AddressInfo;
  const pages = Bun.serve({
    port,
    hostname: "127.0.0.1",
    fetch(request) {
      const { pathname } = new URL(request.url);
      const samples = sampleMails();
      if (pathname === "/") return respondPage(mailbox(taken));
      if (pathname === "/dev/mails") return respondPage(preview(samples));
      const [, folder, id = ""] = /^\/(mails|dev\/mails)\/(\d{1,9})$/.exec(pathname) ?? [];
      const html = folder === "mails" ? taken.get(Number(id))?.html : samples[Number(id)]?.html;
      return typeof html === "string" ? respondPage(html) : new Response("There is no such mail", { status: 404 });
    },
  });
  return {
    smtpUrl: `smtp://127.0.0.1:${smtpPort}`,
    url: `http://localhost:${pages.port}`,
    async stop() {
      await pages.stop(true);
      await new Promise<void>((resolve) => smtp.close(resolve));
    },
  };
}

/** The page of the mails that were sent, newest first. */
function mailbox(taken: ReadonlyMap<number, ParsedMail>): string {
  const items = [...taken].map(([id, { subject = "", text = "", to, date }]) => {
    const receivers = [to ?? []].flat().map((each) => each.text);
    const about = `${receivers.join(", ")}, ${date?.toISOString() ?? ""}`;
    return item(`/mails/${id}`, subject, about, text);
  });
  const empty = "<p>No mail was sent yet: sign in on the portal, and enter any mailbox.</p>";
  return page("Mailbox of the demo", items.length === 0 ? empty : items.toReversed().join(""));
}

function preview(samples: readonly { subject: string; text: string; about: string }[]): string {
  const items = samples.map(({ subject, text, about }, index) => item(`/dev/mails/${index}`, subject, about, text));
  return page("Every kind of mail", items.join(""));
}

function item(href: string, subject: string, about: string, text: string): string {
  return `<article><h2><a href="${href}">${escapeHtml(subject)}</a></h2><p>${escapeHtml(about)}</p><pre>${linked(text)}</pre></article>`;
}

/** The text with its URLs as links, so that confirming and unsubscribing can be tried here. */
function linked(text: string): string {
  return escapeHtml(text).replace(/\bhttps?:\/\/[^\s<&]+(?:&amp;[^\s<&]+)*/g, (url) => `<a href="${url}">${url}</a>`);
}

function page(title: string, content: string): string {
  const style =
    ":root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:48rem;margin:2rem auto;padding:0 1rem}" +
    "pre{white-space:pre-wrap;overflow-wrap:anywhere;border:1px solid #8886;border-radius:8px;padding:1rem}h2{font-size:1.125rem}";
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title><style>${style}</style></head><body><h1>${escapeHtml(title)}</h1><p><a href="/">Mailbox</a> · <a href="/dev/mails">Every kind of mail</a></p>${content}</body></html>`;
}

/** Shows a mail as a mail program would: nothing is loaded and no script runs, whatever the mail contains. */
function respondPage(html: string): Response {
  return new Response(html, {
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy":
        "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
    },
  });
}
