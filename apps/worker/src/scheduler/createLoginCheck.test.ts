import { expect, test } from "bun:test";
import { createLoginCheck } from "./createLoginCheck";

const SECRET = "the secret of the operator";

function login(password: string): Request {
  return new Request("http://localhost/queues", {
    headers: { Authorization: `Basic ${btoa(`operator:${password}`)}` },
  });
}

test("after 30 wrong passwords in a minute no password is compared, the right one included, until the minute is over", () => {
  let now = 5_000;
  const check = createLoginCheck(SECRET, () => now);
  expect(check(login(SECRET))).toBe("accepted");
  for (let guess = 0; guess < 30; guess++) expect(check(login(`guess ${guess}`))).toBe("refused");
  now += 20_000;
  expect(check(login(SECRET))).toEqual({ retryAfterSeconds: 40 });
  now += 40_000;
  expect(check(login(SECRET))).toBe("accepted");
});

test("requests without a password are refused and not counted", () => {
  const check = createLoginCheck(SECRET, () => 0);
  for (let request = 0; request < 100; request++) expect(check(new Request("http://localhost/queues"))).toBe("refused");
  expect(check(login(SECRET))).toBe("accepted");
});
