import { expect, test } from "bun:test";
import fc from "fast-check";
import { planName } from "../amounts/planName";
import { sellerOf } from "../schemas/seller";
import { domainName } from "./domainName";
import { firstLine } from "./firstLine";

const terms = { amount: 10n ** 19n, frequency: 1, token: { symbol: "USDC", decimals: 6 } };

test.each([
  ["the first line", "Gold\nwith a second line", "Gold"],
  ["the first line of a stored text, whose line breaks were replaced", "Gold\ufffd\ufffdwith more", "Gold"],
  ["the first line with text", "\n \t\nGold", "Gold"],
  ["60 characters, whole ones", "🎉".repeat(70), "🎉".repeat(60)],
  ["amount and period without text", " \n ", "10 USDC each month"],
  ["amount and period without a description", null, "10 USDC each month"],
])("a plan is named by %s", (_, description, name) => {
  expect(planName({ ...terms, description })).toBe(name);
});

test("a name that a stranger wrote is one line without unsafe characters, of at most 60", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
      const name = firstLine(text);
      expect([...name].length).toBeLessThanOrEqual(60);
      expect(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\ufffd]/u.test(name)).toBe(false);
      expect(name).toBe(name.trim());
    }),
  );
});

test("a seller is named by its verified domain, else by its company, which is not verified, else not at all", () => {
  const [company, verifiedDomain] = ["bank.example\n", "xn--bcher-kva.example"];
  expect(sellerOf({ company, verifiedDomain })).toEqual({ name: verifiedDomain, verified: true });
  expect(sellerOf({ company, verifiedDomain: null })).toEqual({ name: "bank.example", verified: false });
  expect(sellerOf({ company: " ", verifiedDomain: null })).toEqual({ name: null, verified: false });
  expect(sellerOf({ company: null, verifiedDomain: null })).toEqual({ name: null, verified: false });
});

test.each([
  ["shop.example", "shop.example"],
  [" Shop.EXAMPLE. ", "shop.example"],
  ["bücher.example", "xn--bcher-kva.example"],
  ["a_b.example", null],
  ["example", null],
  ["", null],
  ["https://shop.example", null],
  ["shop.example/path", null],
  ["user@shop.example", null],
  ["shop.example:443", null],
  ["127.0.0.1", null],
  ["0x7f.1", null],
  ["[::1]", null],
  ["shop..example", null],
  [`${"a".repeat(64)}.example`, null],
  [`${"a.".repeat(130)}example`, null],
])("the domain of the text %p is %p", (text, domain) => {
  expect(domainName(text)).toBe(domain);
});
