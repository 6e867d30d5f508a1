import type { Hex } from "viem";
import type { ContractScope } from "../schema/columns";
import type { IndexedBlock } from "./indexedLog";

/** The head up to which a stored index is complete, as its worker announces it: blocks in which nothing happens are not stored. */
export type CoveredHead = {
  /** Hash of the stored checkpoint that the announcement is true for. */
  checkpoint: Hex;
  head: IndexedBlock;
  /** The first block after the checkpoint whose events were not read. */
  unprovenFrom?: number | undefined;
  /** When the head was announced. */
  confirmedAt: Date;
  /** A block between the checkpoint and the head, where its hash is known. */
  blockAt(number: number): IndexedBlock | undefined;
};

/** The index of a contract, with what is known of it besides its rows. */
export type IndexScope = ContractScope & {
  /** Returns null where nothing is known beyond the checkpoint. */
  covered?: () => CoveredHead | null;
};
