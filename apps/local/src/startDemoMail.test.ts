import { afterAll, expect, test } from "bun:test";
import { openMailServer } from "@dueday/worker/reminders/openMailServer";
import { sampleMails } from "./sampleMails";
import { startDemoMail } from "./startDemoMail";

const mail = await startDemoMail(0);
afterAll(() => mail.stop());

const read = async (path: string) => {
  const response = await fetch(mail.url + path);
  return {
    status: response.status,
    policy: response.headers.get("content-security-policy"),
    text: await response.text(),
  };
};

const unsubscribeUrl = "http://127.0.0.1:3000/mail/unsubscribe?token=a";

async function sendMails(count: number, content: string): Promise<void> {
  const server = openMailServer({
    smtpUrl: mail.smtpUrl,
    from: "Dueday <reminders@dueday.example>",
    replyTo: null,
    publicUrl: "http://127.0.0.1:3000",
  });
  for (let sent = 0; sent < count; sent++) {
    const result = await server.send({
      to: "person@example.org",
      subject: "One <b>mail</b>",
      text: `Follow ${unsubscribeUrl}`,
      html: `<p>${content}</p>`,
      messageId: "a@b",
      unsubscribeUrl,
    });
    expect(result).toEqual({ sent: true });
  }
  server.close();
}

test("the mailbox of the demo shows what was sent, with links that can be followed and nothing that runs", async () => {
  await sendMails(1, "html");
  const { text, policy } = await read("/");
  expect(policy).toContain("default-src 'none'");
  expect(text).toContain("One &lt;b&gt;mail&lt;/b&gt;");
  expect(text).toContain("person@example.org");
  expect(text).toContain(`<a href="${unsubscribeUrl}">`);
  expect((await read("/mails/0")).text.trim()).toBe("<p>html</p>");
  expect((await read("/mails/1")).status).toBe(404);
});

test("a mail has the same link as long as it is one of the 500 newest, and the link leads to no other mail after that", async () => {
  const numberOf = async () => {
    const [, id] = /href="\/mails\/(\d+)"/.exec((await read("/")).text) ?? [];
    return Number(id);
  };
  await sendMails(1, "first");
  const first = await numberOf();
  await sendMails(499, "later");
  expect((await read(`/mails/${first}`)).text).toContain("first");
  await sendMails(1, "last");
  expect((await read(`/mails/${first}`)).status).toBe(404);
  expect((await read(`/mails/${first + 1}`)).text).toContain("later");
  expect((await read(`/mails/${await numberOf()}`)).text).toContain("last");
}, 60_000);

test("every kind of mail is previewed, in text and HTML, with hostile names as text", async () => {
  const samples = sampleMails();
  expect(new Set(samples.map(({ about }) => about)).size).toBe(15);
  const { text } = await read("/dev/mails");
  for (const [index, { subject, html }] of samples.entries()) {
    expect(text).toContain(`/dev/mails/${index}`);
    expect(subject.length).toBeGreaterThan(10);
    expect(html).not.toContain("<b>");
    expect(html).not.toContain("evil.example");
    expect((await read(`/dev/mails/${index}`)).text).toBe(html);
  }
});
