import type { Logger } from "@dueday/config/createLogger";
import type { Config } from "@dueday/config/parseConfig";

type Answer = (request: Request) => Promise<Response>;

/** Above the longest deadline of an operation (60 s): a socket is silent while its handler works, and its answer needs time. */
const IDLE_TIMEOUT_SECONDS = 75;

/**
 * Listens for requests. `app.listen` would share the port with other processes and add a listener to `process` for each app.
 *
 * @throws Error when the port is in use.
 */
export function listen(answer: Answer, { host, port }: Pick<Config, "host" | "port">, logger: Logger) {
  try {
    return Bun.serve({
      hostname: host,
      port,
      // With `reusePort` a second process would start without an error and take half of the requests.
      reusePort: false,
      idleTimeout: IDLE_TIMEOUT_SECONDS,
      development: false,
      // Bun's own refusal has no body, so `readBody` refuses bodies that are too large.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      fetch: answer,
      error(error) {
        logger.error({ err: error }, "a request failed outside of its handler");
        return new Response('{"error":"Internal error of this service","code":"INTERNAL"}', {
          status: 500,
          headers: { "Content-Type": "application/json" },
        });
      },
    });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EADDRINUSE") {
      throw new Error(`port ${port} of ${host} is in use: stop the other process, or set PORT`);
    }
    throw error;
  }
}
