/** The form in which the service behind a URL accepts messages. */
export type NotificationForm = {
  /** Longest escaped text, in UTF-16 units. */
  longest: number;
  /** The text without anything that the service would read as a mention, a link or a format: it may come from the chain. */
  escape(text: string): string;
  /** The JSON of a message; `time` as ISO 8601. */
  body(escaped: string, time: string): Record<string, unknown>;
};

const TELEGRAM_HOST = "api.telegram.org";
/** Discord: no previews of links. */
const SUPPRESS_EMBEDS = 4;

/** Slack reads `<...>` as a link or a mention. */
const slack: NotificationForm = {
  longest: 4_000,
  escape: (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;"),
  body: (text) => ({ text, mrkdwn: false, unfurl_links: false, unfurl_media: false }),
};

/** Discord reads messages of webhooks as Markdown, `[text](address)` included. */
const discord: NotificationForm = {
  longest: 2_000,
  escape: (text) => text.replace(/[\\*_~`|<]|\](?=\()|:(?=\/\/)/g, "\\$&"),
  body: (text) => ({ content: text, allowed_mentions: { parse: [] }, flags: SUPPRESS_EMBEDS }),
};

/** Telegram reads a text without `parse_mode` as plain text. */
function telegram(chatId: string): NotificationForm {
  return {
    longest: 4_096,
    escape: (text) => text,
    body: (text) => ({ chat_id: chatId, text, link_preview_options: { is_disabled: true } }),
  };
}

const generic: NotificationForm = {
  longest: 16_000,
  escape: (text) => text,
  body: (text, time) => ({ source: "dueday-keeper", time, text }),
};

/** The form for a URL: of Slack, Discord or Telegram, or JSON for any other. */
export function notificationForm(url: string): NotificationForm {
  const { hostname, pathname, searchParams } = new URL(url);
  if (hostname === "hooks.slack.com" || hostname === "hooks.slack-gov.com") return slack;
  if (/(?:^|\.)discord(?:app)?\.com$/.test(hostname) && /^\/api\/(?:v\d+\/)?webhooks\//.test(pathname)) return discord;
  if (hostname === TELEGRAM_HOST) return telegram(searchParams.get("chat_id") ?? "");
  return generic;
}

/** What is missing in a URL for its service to take a message, or null. */
export function notificationUrlFault(url: string): string | null {
  const { hostname, pathname, searchParams } = new URL(url);
  if (hostname !== TELEGRAM_HOST) return null;
  const isWhole = /^\/bot[^/]+\/sendMessage$/.test(pathname) && (searchParams.get("chat_id") ?? "") !== "";
  return isWhole
    ? null
    : "must have the form https://api.telegram.org/bot<token>/sendMessage?chat_id=<id> for Telegram";
}

/** The JSON text of a message, cut to what the service takes. */
export function notificationBody(form: NotificationForm, text: string, time: string): string {
  const { longest } = form;
  const escaped = form.escape(text);
  const cut = escaped.length <= longest ? escaped : `${escaped.slice(0, longest - 1)}…`;
  // A cut may split a pair of surrogates, and a service may refuse half of one.
  return JSON.stringify(form.body(cut.toWellFormed(), time));
}
