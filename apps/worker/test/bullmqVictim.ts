import { createLogger } from "@dueday/config/createLogger";
import { parseConfig } from "@dueday/config/parseConfig";
import { createBullmqScheduler } from "@dueday/worker/scheduler/bullmq";

/** For a test: a worker process that begins a job, prints "begun", and never ends it. */
const [redisUrl = ""] = process.argv.slice(2);
createBullmqScheduler({
  redisUrl,
  queueName: "killed",
  logger: createLogger(parseConfig({ LOG_LEVEL: "silent" })),
  jobs: [
    {
      name: "scan_due",
      everyMs: 3_600_000,
      async run() {
        process.stdout.write("begun\n");
        await Bun.sleep(3_600_000);
      },
    },
  ],
});
