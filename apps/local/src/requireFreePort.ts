import { once } from "node:events";
import { createServer } from "node:net";

/**
 * Checks, before anything is started, that the API will be able to listen. Port 0 is always free.
 *
 * @throws Error with the setting to change when another program uses the port.
 */
export async function requireFreePort(host: string, port: number): Promise<void> {
  const probe = createServer();
  try {
    await once(probe.listen({ host, port, exclusive: true }), "listening");
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
    if (code !== "EADDRINUSE") throw new Error(`HOST ${host} can't be listened on: correct HOST or PORT`, { cause });
    throw new Error(`port ${port} is in use: stop the program that has it, or choose another port with PORT`, {
      cause,
    });
  } finally {
    probe.close();
  }
}
