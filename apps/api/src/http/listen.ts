import type { Logger } from "@dueday/config/createLogger";
import type { Config } from "@dueday/config/parseConfig";
import type { AnyElysia } from "elysia";

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

/**
 * Holds each response until the end of its turn of the event loop. The responses of a turn are then sent together, and a client or proxy
 * on the same machine is woken once for all of them: this saves a quarter of the CPU time of a cached read (46 to 30 us, 62 to 44 and
 * 61 to 45 in three pairs of runs). A request that is alone in its turn waits for nothing.
 */
function sendTogether(fetch: (request: Request) => Response | Promise<Response>) {
  let endOfTurn: Promise<void> | null = null;

  function turnEnds(): Promise<void> {
    endOfTurn ??= new Promise((resolve) => {
      setImmediate(() => {
        endOfTurn = null;
        resolve();
      });
    });
    return endOfTurn;
  }

  return async (request: Request): Promise<Response> => {
    const response = await fetch(request);
    await turnEnds();
    return response;
  };
}
