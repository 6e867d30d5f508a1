import type { Logger } from "@dueday/config/createLogger";
import type { Config } from "@dueday/config/parseConfig";
import type { AnyElysia } from "elysia";
import { sendTogether } from "./sendTogether";

/** Above the longest deadline of an operation: a socket is silent while its handler works. */
const IDLE_TIMEOUT_SECONDS = 60;

/**
 * Listens for requests. `app.listen` would share the port with other processes and register a listener of the process for each app.
 *
 * @throws Error when the port is in use.
 */
export function listen(app: AnyElysia, { host, port }: Pick<Config, "host" | "port">, logger: Logger) {
  try {
    const server = Bun.serve({
      hostname: host,
      port,
      // With it a second process would start without an error and take half of the requests.
      reusePort: false,
      idleTimeout: IDLE_TIMEOUT_SECONDS,
      development: false,
      // Bun's own refusal has no body: `readBody` refuses what is too large, before anything is read.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      fetch: sendTogether(app.fetch),
      error(error) {
        logger.error({ err: error }, "a request failed outside of its handler");
        return new Response('{"error":"Internal error of this service","code":"INTERNAL"}', {
          status: 500,
          headers: { "Content-Type": "application/json" },
        });
      },
    });
    // Elysia hands it to the gate, which finds the address of a request's peer with it.
    app.server = server;
    return server;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EADDRINUSE") {
      throw new Error(`port ${port} of ${host} is in use: stop the other process, or set PORT`);
    }
    throw error;
  }
}
