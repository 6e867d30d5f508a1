import { afterEach, expect, test } from "bun:test";
import { readStored, writeStored } from "./stored";

const before = Object.getOwnPropertyDescriptor(globalThis, "localStorage");
afterEach(() => {
  if (before === undefined) Reflect.deleteProperty(globalThis, "localStorage");
  else Object.defineProperty(globalThis, "localStorage", before);
});

test("a browser that refuses storage, as with blocked cookies, does not break the page: a choice holds until it is closed", () => {
  Object.defineProperty(globalThis, "localStorage", {
    configurable: true,
    get() {
      throw new DOMException("Access is denied for this document.", "SecurityError");
    },
  });
  expect(readStored("theme")).toBeNull();
  writeStored("theme", "dark");
  expect(readStored("theme")).toBe("dark");
  writeStored("theme", null);
  expect(readStored("theme")).toBeNull();
});

test("a full store does not bring back what was stored before", () => {
  const texts = new Map([["theme", "light"]]);
  Object.defineProperty(globalThis, "localStorage", {
    configurable: true,
    value: {
      getItem: (key: string) => texts.get(key) ?? null,
      removeItem: (key: string) => texts.delete(key),
      setItem() {
        throw new DOMException("The quota has been exceeded.", "QuotaExceededError");
      },
    },
  });
  writeStored("theme", "dark");
  expect(readStored("theme")).toBe("dark");
  writeStored("theme", null);
  expect(readStored("theme")).toBeNull();
});
