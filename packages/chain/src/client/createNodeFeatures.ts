import { isMissingFeature, optionalFeature } from "./missingMethod";
import type { RpcCall, RpcOutcome } from "./rpcOutcome";

/** After a node was found to lack a feature, calls that need it go to other nodes for this time. */
const LACKING_MS = 300_000;

/** Which optional features (methods and overrides that some nodes lack) one node has, as far as its answers show. */
export type NodeFeatures = {
  /** Whether the call is sent alone: its method or overrides have not worked yet, and some nodes that lack them refuse the whole batch. */
  isSentAlone(call: RpcCall): boolean;
  /** Whether the node was found to lack what this call needs, five minutes ago at most. */
  lacks(call: RpcCall): boolean;
  /** Notes what an outcome shows; a failure shows nothing. */
  learn(call: RpcCall, outcome: RpcOutcome): void;
};

/** Nothing is known at first. @param clock milliseconds, from any start; never set back */
export function createNodeFeatures({ clock }: { clock: () => number }): NodeFeatures {
  const supported = new Set<string>();
  const lackingUntil = new Map<string, number>();
  return {
    isSentAlone(call) {
      const feature = optionalFeature(call);
      return feature !== null && !supported.has(feature);
    },
    lacks(call) {
      const feature = optionalFeature(call);
      return feature !== null && clock() < (lackingUntil.get(feature) ?? 0);
    },
    learn(call, outcome) {
      const feature = optionalFeature(call);
      if (feature === null || "failure" in outcome) return;
      const isMissing = "refusal" in outcome && isMissingFeature(call, outcome.refusal);
      if (isMissing) supported.delete(feature);
      else supported.add(feature);
      lackingUntil.set(feature, isMissing ? clock() + LACKING_MS : 0);
    },
  };
}
