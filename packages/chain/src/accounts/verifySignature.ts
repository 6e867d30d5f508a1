import { isSignedByKey } from "@dueday/core/permit/isSignedByKey";
import {
  type Address,
  concatHex,
  encodeDeployData,
  erc6492SignatureValidatorAbi,
  erc6492SignatureValidatorByteCode,
  type Hex,
  hashMessage,
  numberToHex,
} from "viem";
import { asServiceError } from "../client/asServiceError";
import type { ChainClient } from "../client/createChainClient";
import { explainRefusal } from "../client/explainRefusal";
import { isExecutionFailure } from "../client/parseRpcAnswer";
import { RpcRefusal } from "../client/rpcOutcome";

export type SignedMessage = { address: Address; message: string; signature: Hex };
export type SignedHash = { address: Address; hash: Hex; signature: Hex };

/** More than deploying a wallet and checking its signature takes; a wallet whose code never ends costs a node no more than this. */
const GAS = 10_000_000n;

/**
 * An EVM program for one eth_call. It creates a contract of the code that follows it, and returns the first byte of that contract; 0x00 where
 * the creation reverts. So the revert data of a wallet or its factory, which may have megabytes, stays in the node.
 */
const CREATE_PROGRAM: Hex = concatHex([
  "0x6016380380", // length: CODESIZE - 0x16, twice
  "0x60165f39", // CODECOPY the code that follows to 0x00
  "0x5f5ff0", // CREATE of it, without value
  "0x60015f5f833c", // EXTCODECOPY one byte to 0x00: zero where there is no contract
  "0x60015ff3", // RETURN it
]);

/**
 * Whether an address has signed a text (ERC-191). A signature by the address's own key is checked here. That of a smart wallet, deployed
 * (ERC-1271) or not yet (ERC-6492), is checked by the wallet's code, in one call to the chain's node. viem's own action is not used,
 * because it reports a wrong signature where the node does not answer.
 *
 * @throws ServiceError where the node does not answer
 */
export async function verifySignature(
  client: Pick<ChainClient, "rpc">,
  { address, message, signature }: SignedMessage,
): Promise<boolean> {
  const hash = hashMessage(message);
  return (await isSignedByKey(hash, address, signature)) || isSignedByWallet(client, { address, hash, signature });
}

/** Whether a smart wallet has signed a digest (ERC-1271, ERC-6492). Throws ServiceError where the node does not answer. */
export async function isSignedByWallet(
  client: Pick<ChainClient, "rpc">,
  { address, hash, signature }: SignedHash,
): Promise<boolean> {
  const data = encodeDeployData({
    abi: erc6492SignatureValidatorAbi,
    bytecode: erc6492SignatureValidatorByteCode,
    args: [address, hash, signature],
  });
  try {
    const answer = await client.rpc("eth_call", [
      { data: concatHex([CREATE_PROGRAM, data]), gas: numberToHex(GAS) },
      "latest",
    ]);
    return answer === "0x01";
  } catch (error) {
    if (!(error instanceof RpcRefusal)) throw asServiceError(error);
    // The check has used up its gas.
    if (isExecutionFailure(error)) return false;
    throw explainRefusal(error);
  }
}
