/** A message to people, and what it is about for machines. */
export type Notification = { text: string; time: string };

/** Longest texts that the services take. */
const DISCORD_LENGTH = 2_000;
const LONG_LENGTH = 4_000;

/** The HTTP body for the service behind a URL: Slack, Discord, Telegram, or JSON for any other. */
export function notificationBody(url: string, { text, time }: Notification): Record<string, unknown> {
  const { hostname, pathname, searchParams } = new URL(url);
  if (hostname === "hooks.slack.com") return { text: cut(escapeSlack(text), LONG_LENGTH) };
  if (/(?:^|\.)discord(?:app)?\.com$/.test(hostname) && pathname.startsWith("/api/webhooks/")) {
    // Text from the chain may contain @everyone.
    return { content: cut(text, DISCORD_LENGTH), allowed_mentions: { parse: [] } };
  }
  if (hostname === "api.telegram.org") {
    return { chat_id: searchParams.get("chat_id") ?? "", text: cut(text, LONG_LENGTH), disable_web_page_preview: true };
  }
  return { source: "dueday-keeper", time, text };
}

/** Slack reads `<...>` as a link or a mention. */
function escapeSlack(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}
