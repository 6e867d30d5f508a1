import { describe, expect, test } from "bun:test";
import { testAccount } from "@dueday/devnet/testAccount";
import { CheckoutError, checkoutMessage, createGate, type GateOptions } from "@dueday/sdk/gate";
import { paidEntitlement } from "@dueday/sdk/test/paidEntitlement";
import { privateKeyToAccount } from "viem/accounts";

const START = Date.parse("2026-09-21T12:00:00Z");
const payer = privateKeyToAccount(testAccount(1).privateKey);
const claim = {
  checkout: "https://pay.example",
  origin: "https://shop.example",
  chainId: 31_337,
  subscription: `0x${"AB".repeat(32)}`,
} as const;

/** A gate, its clock, and what the service answers. */
async function openGate(options: Partial<GateOptions> = {}) {
  const world = { now: START, entitled: true, away: false, asked: 0 };
  const gate = await createGate({
    ...claim,
    secret: "a secret that only the shop's servers have",
    client: { request: () => Promise.reject(new Error("a key's signature needs no node")) },
    dueday: {
      async getEntitlement(input) {
        world.asked += 1;
        if (world.away) throw new Error("away");
        return paidEntitlement(input, { entitled: world.entitled });
      },
    },
    consume: () => true,
    now: () => world.now,
    ...options,
  });
  const reference = "order 7";
  const facts = { reference, account: payer.address, nonce: "a1b2c3d4e5", issuedAt: new Date(START) };
  const message = checkoutMessage({ ...claim, ...options, ...facts });
  const signature = await payer.signMessage({ message });
  const enter = async () => pairOf((await gate.signIn({ message, signature, reference })).cookie);
  return { gate, world, enter, members: gate.protect((_, { account }) => new Response(account)) };
}

const pairOf = (cookie: string | null) => cookie?.split(";")[0] ?? "";
const visit = (cookie = "") => new Request("https://shop.example/members", { headers: { Cookie: cookie } });
const pass = (world: { now: number }, seconds: number) => {
  world.now += seconds * 1000;
};

test("a payer is let in by a cookie of the shop's host that no script reads", async () => {
  const { gate, members, enter } = await openGate();
  const cookie = await enter();
  expect(cookie).toMatch(/^__Host-dueday_gate=[\w.-]+$/);
  const answer = await members(visit(`theme=dark; ${cookie}`));
  expect([answer.status, await answer.text()]).toEqual([200, payer.address]);
  expect(answer.headers.get("Cache-Control")).toBe("private, no-store");
  expect(await gate.admit(visit())).toBeNull();
  expect((await members(visit())).status).toBe(403);
});

test("a proof that is passed with all that the browser sent replaces nothing of what the shop knows", async () => {
  const { gate } = await openGate();
  const other = { subscription: `0x${"cd".repeat(32)}`, origin: "https://other.example", chainId: 1 } as const;
  const facts = { reference: "order 7", account: payer.address, nonce: "a1b2c3d4e5", issuedAt: new Date(START) };
  const message = checkoutMessage({ ...claim, ...other, ...facts });
  const sent = { message, signature: await payer.signMessage({ message }), ...other };
  await expect(gate.signIn({ ...sent, reference: facts.reference })).rejects.toMatchObject({ code: "WRONG_CHAIN" });
});

describe("time:", () => {
  test("the service is asked once in half of the stated time, and a visit renews the token", async () => {
    const { gate, world, enter } = await openGate({ endsWithinSeconds: 600 });
    let cookie = await enter();
    pass(world, 299);
    expect(await gate.admit(visit(cookie))).toEqual({ account: payer.address, cookie: null });
    expect(world.asked).toBe(1);
    for (let visits = 0; visits < 5; visits += 1) {
      pass(world, 300);
      const visitor = await gate.admit(visit(cookie));
      expect(world.asked).toBe(visits + 2);
      cookie = pairOf(visitor?.cookie ?? null);
      expect(await gate.admit(visit(cookie))).toEqual({ account: payer.address, cookie: null });
    }
  });

  test("the end of an entitlement ends access within the stated time", async () => {
    const { gate, world, enter } = await openGate({ endsWithinSeconds: 600 });
    const cookie = await enter();
    world.entitled = false;
    pass(world, 299);
    expect(await gate.admit(visit(cookie))).not.toBeNull();
    pass(world, 1);
    expect(await gate.admit(visit(cookie))).toBeNull();
  });

  test("a service that is away keeps nobody out before the stated time, and lets nobody in after it", async () => {
    const { gate, world, enter, members } = await openGate({ endsWithinSeconds: 600 });
    const cookie = await enter();
    world.away = true;
    pass(world, 599);
    expect(await gate.admit(visit(cookie))).toEqual({ account: payer.address, cookie: null });
    pass(world, 1);
    expect(await gate.admit(visit(cookie)).catch((error) => error)).toBeInstanceOf(CheckoutError);
    expect((await members(visit(cookie))).status).toBe(503);
    world.away = false;
    expect((await members(visit(cookie))).headers.get("Set-Cookie")).toContain("__Host-dueday_gate=");
  });

  test("renewals do not prolong a session, and a token of the future is refused", async () => {
    const { gate, world, enter } = await openGate({ sessionSeconds: 3_600 });
    let cookie = await enter();
    pass(world, 3_599);
    const visitor = await gate.admit(visit(cookie));
    expect(visitor?.cookie).toContain("Max-Age=1;");
    cookie = pairOf(visitor?.cookie ?? null);
    pass(world, 1);
    expect(await gate.admit(visit(cookie))).toBeNull();
    pass(world, -3_700);
    expect(await gate.admit(visit(cookie))).toBeNull();
  });
});

describe("a token is refused", () => {
  test.each<[string, Partial<GateOptions>]>([
    ["of another secret", { secret: "another secret that only a shop's servers have" }],
    ["of another shop", { origin: "https://other.example" }],
    ["of another chain", { chainId: 8_453 }],
    ["of another plan", { subscription: `0x${"cd".repeat(32)}` }],
  ])("%s", async (_, options) => {
    const cookie = await (await openGate(options)).enter();
    expect(await (await openGate()).gate.admit(visit(cookie))).toBeNull();
    expect(await (await openGate(options)).gate.admit(visit(cookie))).not.toBeNull();
  });

  test("that was changed in any place, and whatever is no token", async () => {
    const { gate, enter } = await openGate();
    const cookie = await enter();
    const start = cookie.indexOf("=") + 1;
    for (let place = start; place < cookie.length - 1; place += 7) {
      const changed = cookie[place] === "A" ? "B" : "A";
      expect(await gate.admit(visit(cookie.slice(0, place) + changed + cookie.slice(place + 1)))).toBeNull();
    }
    for (const text of ["", ".", "a.b", "x".repeat(9_000), "eyJ9.eyJ9.eyJ9", "%00.%00"])
      expect(await gate.admit(visit(`__Host-dueday_gate=${text}`))).toBeNull();
  });
});

test("a secret that can be guessed is refused", async () => {
  expect(openGate({ secret: "short" })).rejects.toThrow(TypeError);
});
