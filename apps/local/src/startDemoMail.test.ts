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

test("the mailbox of the demo shows what was sent, with links that can be followed and nothing that runs", async () => {
  const server = openMailServer({
    smtpUrl: mail.smtpUrl,
    from: "Dueday <reminders@dueday.example>",
    replyTo: null,
    publicUrl: "http://127.0.0.1:3000",
  });
  const unsubscribeUrl = "http://127.0.0.1:3000/mail/unsubscribe?token=a";
  const sent = {
    to: "person@example.org",
    subject: "One <b>mail</b>",
    text: `Follow ${unsubscribeUrl}`,
    html: "<p>html</p>",
    messageId: "a@b",
  };
  expect(await server.send({ ...sent, unsubscribeUrl })).toEqual({ sent: true });
  server.close();
  const { text, policy } = await read("/");
  expect(policy).toContain("default-src 'none'");
  expect(text).toContain("One &lt;b&gt;mail&lt;/b&gt;");
  expect(text).toContain("person@example.org");
  expect(text).toContain(`<a href="${unsubscribeUrl}">`);
  expect((await read("/mails/0")).text.trim()).toBe("<p>html</p>");
  expect((await read("/mails/1")).status).toBe(404);
});

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
