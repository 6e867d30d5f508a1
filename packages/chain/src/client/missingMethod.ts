import type { RpcCall, RpcRefusal } from "./rpcOutcome";

const METHOD_NOT_FOUND = -32601;
/** EIP-1474 */
const METHOD_NOT_SUPPORTED = -32004;
const INVALID = new Set([-32600, -32602]);
const MISSING_METHOD =
  /method not found|method is not (?:available|supported|whitelisted|allowed|found|enabled)|method not (?:available|supported|allowed)|unsupported method|does not exist\/is not available|method does not exist|unknown method|not implemented/i;

/**
 * What a node may lack: a method that not all nodes have, or state overrides in a call. Null for a call that every node
 * answers.
 */
export function optionalFeature({ method, params }: RpcCall): string | null {
  if (method === "eth_simulateV1" || method === "eth_createAccessList") return method;
  const takesOverrides = method === "eth_call" || method === "eth_estimateGas";
  return takesOverrides && Array.isArray(params) && params.length > 2 ? `${method} with state overrides` : null;
}

/** Whether a refusal means that the node does not have the method, in the forms that nodes and providers use. */
export function isMissingMethod({ code, message, data }: RpcRefusal): boolean {
  if (data !== undefined) return false;
  return code === METHOD_NOT_FOUND || code === METHOD_NOT_SUPPORTED || MISSING_METHOD.test(message);
}

/** Whether a refusal means that the node lacks the call's optional feature; nodes refuse state overrides as an invalid parameter. */
export function isMissingFeature(call: RpcCall, refusal: RpcRefusal): boolean {
  if (optionalFeature(call) === null) return false;
  return isMissingMethod(refusal) || (refusal.data === undefined && INVALID.has(refusal.code));
}
