import { connect } from "node:net";

/** Sends bytes that no HTTP client would send, and returns all that comes until the server closes the connection. */
export async function sendRaw(url: string, lines: string[]): Promise<string> {
  const { hostname, port } = new URL(url);
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect(Number(port), hostname, () => socket.write(`${lines.join("\r\n")}\r\n\r\n`));
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk.toString();
  });
  socket.on("close", () => resolve(text));
  socket.on("error", reject);
  return promise;
}
