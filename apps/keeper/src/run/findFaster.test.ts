import { expect, test } from "bun:test";
import type { KeeperNode, MinedRemit } from "../node/keeperNode";
import type { Attempt } from "../send/sendStep";
import { findFaster } from "./findFaster";

const remit = { hash: "0x2", caller: "0x99", blockNumber: 100n, index: 0 } as const;

test.each([100n, 101n])(
  "a transaction that a reorganisation has moved to block 100, when it was judged on block %p: a remit() before it in its block is found, and earlier ones are not known",
  async (block) => {
    const rivals: KeeperNode["rivals"] = async (after, to = 0n) => (after < 100n && to >= 100n ? [remit] : []);
    // The fields that are read.
    const node = { rivals } as Partial<KeeperNode> as KeeperNode;
    const receipt = { blockNumber: 100n, index: 1 } as Partial<MinedRemit> as MinedRemit;
    const attempt = { permit: null, basis: { block, openDay: 0 } } as Partial<Attempt> as Attempt;
    expect(await findFaster({ node }, { receipt, attempt })).toEqual({ remit, isWhole: false });
  },
);
