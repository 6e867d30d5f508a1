import { exitCode, KeeperError } from "@dueday/keeper/keeperError";
import type { KeeperNode } from "@dueday/keeper/node/keeperNode";

/** The node with something around each of its calls. */
export function wrapNode(
  node: KeeperNode,
  around: (method: string, call: () => Promise<unknown>) => Promise<unknown>,
): KeeperNode {
  const wrapped = Object.entries(node).map(([name, method]) => [
    name,
    // Each method keeps its own parameters.
    (...args: unknown[]) => around(name, () => (method as (...all: unknown[]) => Promise<unknown>)(...args)),
  ]);
  return Object.fromEntries(wrapped) as KeeperNode; // the same methods under the same names
}

/** A node whose calls fail as long as `isLost`, as they do when it can't be reached. */
export function losing(node: KeeperNode, isLost: () => boolean): KeeperNode {
  return wrapNode(node, async (_, call) => {
    if (isLost()) throw new KeeperError(exitCode.UNREACHABLE, "the node can't be reached");
    return call();
  });
}
