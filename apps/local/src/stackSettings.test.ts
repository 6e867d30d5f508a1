import { expect, test } from "bun:test";
import { canonicalLimits } from "@dueday/config/limits";
import { parseConfig } from "@dueday/config/parseConfig";
import { stackSettings } from "./stackSettings";

test("every limit of a stack is a hundred times the canonical one, unless the user has set it", () => {
  const { free, developer } = parseConfig(stackSettings({ LIMIT_FREE_WRITE_RPM: "7" }, null)).limits;
  const hundredfold = (limits: Record<string, number>) =>
    Object.fromEntries(Object.entries(limits).map(([name, limit]) => [name, limit * 100]));
  expect(free).toEqual({ ...free, ...hundredfold(canonicalLimits.free), writeRpm: 7 });
  expect(developer).toEqual({ ...developer, ...hundredfold(canonicalLimits.developer) });
});
