import { readHead } from "@dueday/chain/block/readHead";
import type { ChainClient } from "@dueday/chain/client/createChainClient";
import { RpcRefusal } from "@dueday/chain/client/rpcOutcome";
import { transactionGasLimit } from "@dueday/chain/fees/transactionGasLimit";
import { readPermitFacts } from "@dueday/chain/permits/readPermitFacts";
import { canSimulate } from "@dueday/chain/simulate/canSimulate";
import type { SimulatedCall } from "@dueday/chain/simulate/parseSimulation";
import { simulateSent } from "@dueday/chain/simulate/simulateSent";
import { encodePermit } from "@dueday/core/calldata/encodePermit";
import { encodeRemit } from "@dueday/core/calldata/encodeRemit";
import { ServiceError } from "@dueday/core/errors";
import { isSignedByKey } from "@dueday/core/permit/isSignedByKey";
import { hashPermit } from "@dueday/core/permit/permit";
import { parseRemitLogs } from "@dueday/core/remit/parseRemitLogs";
import type { Address, Hex } from "viem";
import type { SignedFees } from "../decide/decide";
import { unreachable } from "../node/createNode";
import type { SimulatedRemit } from "../node/keeperNode";
import { revertData } from "../node/revertData";
import { simulateRepeatedly } from "../node/simulateRepeatedly";
import type { ProposedPermit } from "./permitSource";

/** permit() of a proposed permit, built by the keeper. */
export type PermitCall = { permit: ProposedPermit; to: Address; data: Hex };

/** What permits, and the calls of remit() after them, would do. */
export type PermitSimulation = {
  /** Gas of each permit(). */
  permits: bigint[];
  /** As many calls of remit() as were asked for, or fewer where the next one reverts. */
  remits: SimulatedRemit[];
};

/** What the keeper's own nodes know about permits. Every method rejects with KeeperError UNREACHABLE when no node answers. */
export type PermitNode = {
  /** The transaction that submits a permit; null where the token has no permits. */
  callOf(permit: ProposedPermit): Promise<PermitCall | null>;
  /**
   * Runs permits and then calls of remit() as the keeper would send them, at these gas limits and fees. Null where a permit fails, or no node
   * can simulate it.
   */
  simulate(
    permits: readonly PermitCall[],
    remits: { gasLimits: readonly bigint[]; fees: SignedFees },
  ): Promise<PermitSimulation | null>;
  /** Whether a permit still works after the transactions that wait in the node's pool. */
  isOpen(permit: PermitCall): Promise<boolean>;
};

/** Gas limit of a permit: with the signature of a key it takes some 60,000, with that of a contract wallet more. */
const PERMIT_GAS = 300_000n;

export function createPermitNode({
  client,
  contract,
  from,
}: {
  client: ChainClient;
  contract: Address;
  from: Address;
}): PermitNode {
  const remit = { to: contract, data: encodeRemit() };
  return {
    async callOf(permit) {
      const { token, owner, value, deadline, signature } = permit;
      try {
        const block = await readHead(client);
        const { domain, nonce } = await readPermitFacts(client, { contract, token, owner, block });
        const signed = { owner, spender: contract, value, nonce, deadline };
        const isOfKey = await isSignedByKey(hashPermit(domain, signed), owner, signature);
        return { permit, to: token, data: encodePermit({ ...signed, signature, isOfKey }) };
      } catch (error) {
        if (error instanceof ServiceError && error.code === "PERMIT_UNSUPPORTED") return null;
        throw unreachable(error);
      }
    },

    async simulate(permits, { gasLimits, fees }) {
      try {
        const block = await readHead(client);
        if (!(await canSimulate(client, { block }))) return null;
        const before = permits.map(({ to, data }) => ({ to, data, gas: PERMIT_GAS }));
        let submitted: SimulatedCall[] = [];
        const simulate = async (limits: readonly bigint[]) => {
          const calls = [...before, ...limits.map((gas) => ({ ...remit, gas }))];
          const results = await simulateSent(client, { from, calls, fees, block });
          submitted = results.slice(0, before.length);
          return results.slice(before.length);
        };
        const largest = transactionGasLimit(client, block);
        const { calls, end } = await simulateRepeatedly(simulate, { gasLimits, largest });
        if (end === "limit" || submitted.some(({ success }) => !success)) return null;
        const remits = calls.map(({ gasUsed: gas, logs }) => ({
          ...parseRemitLogs(logs, { contract, caller: from }),
          gas,
        }));
        return { permits: submitted.map(({ gasUsed }) => gasUsed), remits };
      } catch (error) {
        // The balance does not pay for so much gas, or the node simulates less.
        if (error instanceof RpcRefusal) return null;
        throw unreachable(error);
      }
    },

    async isOpen({ to, data }) {
      try {
        await client.estimateGas({ account: from, to, data, gas: PERMIT_GAS, blockTag: "pending" });
        return true;
      } catch (error) {
        if (revertData(error) !== null) return false;
        throw unreachable(error);
      }
    },
  };
}
