import { encodeRemit } from "@dueday/core/calldata/encodeRemit";
import { decodeProtocolEvent, type EventLog } from "@dueday/core/events/decodeProtocolEvent";
import { createDueday } from "@dueday/sdk";
import type { Hex, StackFacts } from "../facts";
import type { BlockSchedule } from "./createBlockSchedule";
import { createRpc, RpcError } from "./createRpc";
import { type Duration, parseDuration } from "./parseDuration";
import { untilMined } from "./untilMined";
import { untilServed } from "./untilServed";

/** A time to travel to: a text is a date, such as "2027-01-31", or a date with a time and its zone. */
export type TravelTarget = { to: Date | string };

/** A state of the chain to return to. */
export type Snapshot = { readonly block: bigint; readonly time: Date };

/** What a test does to the chain. `travel`, `settle` and `revert` resolve when the service has seen what they did. */
export type Chain = {
  /**
   * Moves the chain's clock forward, and mines a block there.
   *
   * @returns the chain's time
   * @throws RangeError for a time that is not after the newest block's
   *
   * @example
   * await dueday.travel("30 days");
   * await dueday.travel({ to: "2027-01-31" });
   */
  travel(by: Duration | TravelTarget): Promise<Date>;
  /**
   * Calls remit() as the keeper until nothing is due.
   *
   * @returns the transactions' hashes
   * @throws Error when remit() is blocked (the message has the service's reason), or succeeds and settles nothing
   */
  settle(): Promise<{ transactions: readonly Hex[] }>;
  /** Waits until your own transactions are mined and the service serves the newest block: plan, due lists, history and events. */
  caughtUp(): Promise<void>;
  /** Remembers the chain as it is. */
  snapshot(): Promise<Snapshot>;
  /**
   * Returns to a snapshot, as often as you like, in a reorganisation: blocks with other hashes are mined past the old head.
   *
   * @throws Error when the snapshot is not of this chain, or is younger than a snapshot that was returned to since
   */
  revert(to: Snapshot): Promise<void>;
};

/** Gas limit of remit(): more than a page of payments takes, and less than a block has. */
const REMIT_GAS = "0x1c9c380";

type Block = { number: bigint; time: number };

/**
 * The controls of a running chain, over its own node and the service's API.
 *
 * @param schedule what mines its blocks; null where one is mined for each transaction
 */
export function createChain(
  { url, rpcUrl, contract, wallets }: StackFacts,
  schedule: BlockSchedule | null = null,
): Chain {
  const rpc = createRpc(rpcUrl);
  const dueday = createDueday({ baseUrl: url });
  /** Snapshots that can be returned to, oldest first, with the node's ids. */
  let taken: { snapshot: Snapshot; nodeId: unknown }[] = [];

  async function head(): Promise<Block> {
    const { number, timestamp } = Object(await rpc("eth_getBlockByNumber", ["latest", false]));
    return { number: BigInt(number), time: Number(timestamp) };
  }

  /** Runs `work` while no block comes by itself. */
  function betweenBlocks<T>(work: () => Promise<T>): Promise<T> {
    return schedule === null ? work() : schedule.hold(work);
  }

  async function caughtUp(): Promise<void> {
    await untilMined(rpc, schedule !== null);
    await untilServed(dueday, (await head()).number);
  }

  /** Mines a block at a later time, and returns that time. */
  async function moveTo(by: Duration | TravelTarget): Promise<number> {
    const { time } = await head();
    const target = typeof by === "string" ? time + parseDuration(by) : toSeconds(by.to);
    if (target <= time)
      throw new RangeError(`${inWords(target)} is not after the chain's newest block (${inWords(time)})`);
    await rpc("evm_setNextBlockTimestamp", [target]);
    await rpc("evm_mine");
    return target;
  }

  async function remember(): Promise<Snapshot> {
    const { number, time } = await head();
    const snapshot = { block: number, time: new Date(time * 1000) };
    taken.push({ snapshot, nodeId: await rpc("evm_snapshot") });
    return snapshot;
  }

  async function returnTo(to: Snapshot): Promise<void> {
    const oldHead = await head();
    const index = taken.findIndex(({ snapshot }) => snapshot === to);
    const nodeId = taken[index]?.nodeId;
    if (nodeId === undefined) {
      throw new Error("the snapshot is of another chain, or younger than one that was returned to since");
    }
    // A mined transaction is still in the node's pool for a moment: it would be mined once more.
    await rpc("anvil_dropAllTransactions");
    await rpc("evm_revert", [nodeId]);
    // The node forgets a snapshot that it returns to, and can't return to those of the branch that it leaves.
    taken = [...taken.slice(0, index), { snapshot: to, nodeId: await rpc("evm_snapshot") }];
    // A coinbase that no other branch has changes every hash.
    await rpc("anvil_setCoinbase", [randomAddress()]);
    const missing = oldHead.number - to.block + 1n;
    await rpc("anvil_mine", [`0x${missing.toString(16)}`, "0x0"]);
  }

  /** Whether remit() succeeds now. */
  async function isDue(call: object): Promise<boolean> {
    try {
      await rpc("eth_call", [call, "latest"]);
      return true;
    } catch (error) {
      if (error instanceof RpcError) return false;
      throw error;
    }
  }

  return {
    caughtUp,

    async travel(by) {
      const target = await betweenBlocks(() => moveTo(by));
      await caughtUp();
      return new Date(target * 1000);
    },

    async settle() {
      const call = { from: wallets.keeper.address, to: contract, data: encodeRemit(), gas: REMIT_GAS };
      const transactions: Hex[] = [];
      let idle: Hex | null = null;
      while (idle === null && (await isDue(call))) {
        const { status, transactionHash, logs } = Object(await rpc("eth_sendTransactionSync", [call]));
        if (status !== "0x1") throw new Error(`remit() reverted in transaction ${transactionHash}`);
        if (settledSomething(logs)) transactions.push(transactionHash);
        else idle = transactionHash;
      }
      await caughtUp();
      const { reason, issues } = await dueday.getRemitReadiness();
      if (reason === "blocked")
        throw new Error(`remit() is blocked: ${issues.map(({ message }) => message).join(" ")}`);
      if (idle !== null) throw new Error(`remit() succeeded and settled nothing in transaction ${idle}`);
      return { transactions };
    },

    snapshot: () => betweenBlocks(remember),

    async revert(to) {
      await betweenBlocks(() => returnTo(to));
      await caughtUp();
    },
  };
}

/** Whether the logs of a receipt show that remit() closed a day or handled a payment, be it one that failed. If not, another call would change nothing either. */
function settledSomething(logs: readonly EventLog[]): boolean {
  return logs
    .map(decodeProtocolEvent)
    .some((each) => each?.event === "SubLog" || (each?.event === "CallerLog" && each.isFinished));
}

/** @throws TypeError for a text that is not a date */
function toSeconds(to: Date | string): number {
  const milliseconds = new Date(to).getTime();
  if (!Number.isNaN(milliseconds)) return Math.floor(milliseconds / 1000);
  throw new TypeError(`"${String(to)}" is not a date: write one such as "2027-01-31" or "2027-01-31T08:00:00Z"`);
}

function inWords(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}

function randomAddress(): Hex {
  const bytes = crypto.getRandomValues(new Uint8Array(20));
  return `0x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
