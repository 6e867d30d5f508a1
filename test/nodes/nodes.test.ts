import { loadScenarios } from "@dueday/devnet/replay/loadScenarios";
import { nodeRows } from "./nodeRows";
import { testRow } from "./testRow";

// The short ones of the rows that `bun run test:nodes` has.

const ROWS = ["logs 300 ms after the header", "batches of 3, HTTP 500", "a tenth of the requests fails"];
const SCENARIO = 57;

const scenarios = (await loadScenarios()).filter(({ scenario }) => scenario === SCENARIO);
for (const row of nodeRows.filter(({ name }) => ROWS.includes(name))) testRow(row, scenarios);
