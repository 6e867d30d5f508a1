import { aborted } from "@dueday/core/aborted";
import { connectDatabase } from "@dueday/db/connectDatabase";
import { holdLease } from "@dueday/db/holdLease";

/** A process that holds a lease until it is killed: `bun leaseHolder.ts <database url> <name>`. */
const [url = "", name = ""] = process.argv.slice(2);
await holdLease(connectDatabase({ url }), {
  name,
  signal: new AbortController().signal,
  async work(held) {
    process.stdout.write("begin\n");
    await aborted(held);
    process.stdout.write("end\n");
  },
  onFault() {},
});
