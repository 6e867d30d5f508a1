import { once } from "node:events";
import { createServer } from "node:net";

/**
 * Looks before anything is started whether the API will be able to listen. Port 0 is always free.
 *
 * @throws Error saying what to do when another program has the port.
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
