import { createDueday, DuedayError } from "@dueday/sdk";

// CommonJS: compiled against the packed package, then run by Node 22, which loads ESM by require().
const error = new DuedayError("TIMEOUT", typeof createDueday({ baseUrl: "https://api.example.com" }).getStatus);
console.log(error.message);
