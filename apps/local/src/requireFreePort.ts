import { once } from "node:events";
import { createServer } from "node:net";

/**
 * Checks, before anything is started, that a server of the stack will be able to listen on this port. Port 0 is always free.
 *
 * @throws Error that names the setting to change, where the port is in use or the host can't be listened on
 */
export async function requireFreePort(host: string, port: number, setting = "PORT"): Promise<void> {
  const probe = createServer();
  try {
    await once(probe.listen({ host, port, exclusive: true }), "listening");
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
    if (code !== "EADDRINUSE") throw new Error(`can't listen on HOST ${host}: correct HOST or ${setting}`, { cause });
    throw new Error(`port ${port} is in use: stop the program that uses it, or choose another port with ${setting}`, {
      cause,
    });
  } finally {
    probe.close();
  }
}
