import { startDueday } from "@dueday/testkit";

// A test process in the middle of its work, for a test that kills it.
const { contract } = await startDueday({ scenario: "empty" });
console.log(contract);
setInterval(() => {}, 1_000);
