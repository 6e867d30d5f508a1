import { expect, test } from "bun:test";
import { notificationBody, notificationForm } from "./notificationForm";

const TIME = "2026-01-01T00:00:00.000Z";
const EVIL = "<!channel> @everyone & <http://x> [win](https://x) *b* _i_ `c` | ~s~ \\ https://y";

function bodyOf(url: string, text: string): Record<string, unknown> {
  return JSON.parse(notificationBody(notificationForm(url), text, TIME));
}

const SLACK = "https://hooks.slack.com/services/T/B/x";
const DISCORD = "https://discord.com/api/webhooks/1/x";
const TELEGRAM = "https://api.telegram.org/bot1:x/sendMessage?chat_id=-7";
const OTHER = "https://example.org/hook";

test("Slack gets plain text in which nothing is a mention, a link or a preview", () => {
  expect(bodyOf(SLACK, EVIL)).toEqual({
    text: "&lt;!channel&gt; @everyone &amp; &lt;http://x&gt; [win](https://x) *b* _i_ `c` | ~s~ \\ https://y",
    mrkdwn: false,
    unfurl_links: false,
    unfurl_media: false,
  });
});

test.each([DISCORD, "https://discordapp.com/api/webhooks/1/x", "https://discord.com/api/v10/webhooks/1/x"])(
  "Discord at %s gets text without Markdown, mentions and previews",
  (url) => {
    expect(bodyOf(url, EVIL)).toEqual({
      content:
        "\\<!channel> @everyone & \\<http\\://x> [win\\](https\\://x) \\*b\\* \\_i\\_ \\`c\\` \\| \\~s\\~ \\\\ https\\://y",
      allowed_mentions: { parse: [] },
      flags: 4,
    });
  },
);

test("Telegram gets plain text for the chat of the URL, without a preview", () => {
  expect(bodyOf(TELEGRAM, EVIL)).toEqual({ chat_id: "-7", text: EVIL, link_preview_options: { is_disabled: true } });
});

test("any other URL gets the text with source and time", () => {
  expect(bodyOf(OTHER, EVIL)).toEqual({ source: "dueday-keeper", time: TIME, text: EVIL });
  expect(bodyOf("https://discord.com.example.org/api/webhooks/1/x", "a")).toHaveProperty("source");
});

test.each([
  ["Slack", SLACK, "text", 4_000],
  ["Discord", DISCORD, "content", 2_000],
  ["Telegram", TELEGRAM, "text", 4_096],
])("a text for %s is cut to what it takes, never inside of a character", (_, url, field, longest) => {
  for (const text of ["x".repeat(50_000), "*".repeat(50_000), `x${"😀".repeat(30_000)}`]) {
    const cut = String(bodyOf(url, text)[field]);
    expect(cut.length).toBeLessThanOrEqual(longest);
    expect(cut.length).toBeGreaterThan(longest - 3);
    expect(cut.isWellFormed()).toBe(true);
    expect(cut).toEndWith("…");
  }
});
