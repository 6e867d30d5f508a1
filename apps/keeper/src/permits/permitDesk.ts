import type { PermitNode } from "./permitNode";
import type { PermitSource } from "./permitSource";

/** Where a keeper's permits come from, and the node that judges them. */
export type PermitDesk = {
  read: PermitSource;
  node: PermitNode;
  /** Ids of permits whose transaction was mined and reverted: they are not tried again. */
  failed: Set<string>;
};
