/** One call of a JSON-RPC node. */
export type Rpc = (method: string, params?: readonly unknown[]) => Promise<unknown>;

/** An error that the node answered with. */
export class RpcError extends Error {
  override name = "RpcError";

  constructor(method: string, message: string) {
    super(`${method}: ${message}`);
  }
}

/** Returns a function that calls the node at `url`. It rejects with {@link RpcError} where the node refuses. */
export function createRpc(url: string): Rpc {
  let id = 0;
  return async (method, params = []) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: ++id, method, params });
    const response = await fetch(url, { method: "POST", headers: { "Content-Type": "application/json" }, body });
    const answer: unknown = await response.json();
    const { result, error } = Object(answer);
    if (error !== undefined) throw new RpcError(method, String(Object(error).message));
    return result;
  };
}
