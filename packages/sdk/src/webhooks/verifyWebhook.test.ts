import { describe, expect, test } from "bun:test";
import { verifyWebhook, WebhookError } from "@dueday/sdk/webhooks";
import fc from "fast-check";
import { Webhook } from "standardwebhooks";

const NOW = new Date("2026-09-21T12:00:00Z");
const secret = `whsec_${Buffer.from("a secret of 24 bytes at least").toString("base64")}`;
const other = `whsec_${Buffer.from("another secret of many bytes").toString("base64")}`;
const options = { now: () => NOW.getTime() };
const event = { id: "evt_1", seq: 1, type: "payment.paid", data: { note: "ü €" } };

/** Signed by the library of the specification. */
function signed(body = JSON.stringify(event), { by = [secret], at = NOW, id = "evt_1" } = {}) {
  const headers = {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": by.map((each) => new Webhook(each).sign(id, at, body)).join(" "),
  };
  return { headers, body };
}

const codeOf = async (promise: Promise<unknown>) => {
  const error: unknown = await promise.catch((reason) => reason);
  return error instanceof WebhookError ? error.code : error;
};

describe("a webhook that the specification's library signed is verified", () => {
  test("as a Request, as text, as bytes, with the headers of Node", async () => {
    const { headers, body } = signed();
    const request = new Request("https://merchant.invalid/hook", { method: "POST", headers, body });
    const lists = { "Webhook-Id": "evt_1", ...headers };
    const bytes = new TextEncoder().encode(body);
    for (const each of [
      request,
      { headers, body },
      { headers: lists, body: bytes },
      { headers: new Headers(headers), body },
    ]) {
      expect(Object(await verifyWebhook(each, secret, options))).toEqual(event);
    }
  });

  test("with either secret while one is being replaced, on both sides", async () => {
    expect(await verifyWebhook(signed(undefined, { by: [other, secret] }), secret, options)).toMatchObject({
      id: "evt_1",
    });
    expect(await verifyWebhook(signed(), [other, secret], options)).toMatchObject({ id: "evt_1" });
  });

  test("whatever its body and id are", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary" }), fc.uuid(), async (note, id) => {
        const body = JSON.stringify({ ...event, data: { note } });
        expect(Object(await verifyWebhook(signed(body, { id }), secret, options)).data).toEqual({ note });
      }),
    );
  });
});

describe("a request is refused", () => {
  test("that was signed with another secret, or changed in any byte of body, id or time", async () => {
    const good = signed();
    expect(await codeOf(verifyWebhook(good, other, options))).toBe("WRONG_SIGNATURE");
    for (let at = 0; at < good.body.length; at++) {
      const body = `${good.body.slice(0, at)}${good.body[at] === "x" ? "y" : "x"}${good.body.slice(at + 1)}`;
      expect(await codeOf(verifyWebhook({ ...good, body }, secret, options))).toBe("WRONG_SIGNATURE");
    }
    for (const change of [{ "webhook-id": "evt_2" }, { "webhook-timestamp": String(NOW.getTime() / 1000 + 1) }]) {
      const headers = { ...good.headers, ...change };
      expect(await codeOf(verifyWebhook({ ...good, headers }, secret, options))).toBe("WRONG_SIGNATURE");
    }
  });

  test("whose signature is of another version, empty or not base64", async () => {
    const { headers, body } = signed();
    for (const signature of [headers["webhook-signature"].replace("v1,", "v2,"), "v1,", "v1,***", "nonsense"]) {
      const spoiled = { headers: { ...headers, "webhook-signature": signature }, body };
      expect(await codeOf(verifyWebhook(spoiled, secret, options))).toBe("WRONG_SIGNATURE");
    }
  });

  test("that is older or newer than the tolerance, as the library refuses it", async () => {
    for (const [seconds, code] of [
      [-301, "EXPIRED"],
      [301, "EXPIRED"],
      [-299, undefined],
      [299, undefined],
    ] as const) {
      const at = new Date(NOW.getTime() + seconds * 1000);
      const result = verifyWebhook(signed(undefined, { at }), secret, options);
      if (code === undefined) expect(await result).toMatchObject({ id: "evt_1" });
      else expect(await codeOf(result)).toBe(code);
    }
  });

  test("that lacks a header, or is signed and not an event", async () => {
    const { headers, body } = signed();
    for (const name of Object.keys(headers)) {
      const rest = Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name));
      expect(await codeOf(verifyWebhook({ headers: rest, body }, secret, options))).toBe("MISSING_HEADER");
    }
    const malformed = { ...headers, "webhook-timestamp": "today" };
    expect(await codeOf(verifyWebhook({ headers: malformed, body }, secret, options))).toBe("MISSING_HEADER");
    for (const text of ["[]", "nothing", "{}"]) {
      expect(await codeOf(verifyWebhook(signed(text), secret, options))).toBe("INVALID_BODY");
    }
  });
});

test("a secret that is not one is the caller's mistake", async () => {
  await expect(verifyWebhook(signed(), "whsec_", options)).rejects.toThrow(TypeError);
});

test("a body that was parsed or read before is an error that names the cause, not a wrong signature", async () => {
  const { headers, body } = signed();
  for (const parsed of [JSON.parse(body), [], null, undefined]) {
    // Express and others type the body as any.
    await expect(verifyWebhook({ headers, body: parsed }, secret, options)).rejects.toThrow(
      /parsed already|is missing.*express\.raw|is missing/,
    );
  }
  const request = new Request("http://shop.example", { method: "POST", headers, body });
  await request.json();
  await expect(verifyWebhook(request, secret, options)).rejects.toThrow(/read already/);
  expect(await verifyWebhook({ headers, body: Buffer.from(body) }, secret, options)).toMatchObject({ id: "evt_1" });
});
