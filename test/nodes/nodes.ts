import { loadScenarios } from "@dueday/devnet/replay/loadScenarios";
import { nodeRows } from "./nodeRows";
import { testRow } from "./testRow";

/** `bun run test:nodes [-t name]`: every kind of node in docs/nodes.md. NODE_SCENARIOS names other scenarios to replay. */
const SCENARIOS = (process.env.NODE_SCENARIOS ?? "57").split(",").map(Number);

const scenarios = (await loadScenarios()).filter(({ scenario }) => SCENARIOS.includes(scenario));
for (const row of nodeRows) testRow(row, scenarios);
