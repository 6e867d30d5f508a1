import {
  type Address,
  encodeDeployData,
  erc6492SignatureValidatorAbi,
  erc6492SignatureValidatorByteCode,
  type Hex,
  hashMessage,
  isAddressEqual,
  numberToHex,
  recoverMessageAddress,
} from "viem";
import { asServiceError } from "../client/asServiceError";
import type { ChainClient } from "../client/createChainClient";
import { explainRefusal } from "../client/explainRefusal";
import { isExecutionFailure } from "../client/parseRpcAnswer";
import { RpcRefusal } from "../client/rpcOutcome";

export type SignedMessage = { address: Address; message: string; signature: Hex };

/** More than deploying a wallet and checking its signature takes; a wallet whose code never ends costs a node no more than this. */
const GAS = 10_000_000n;

/**
 * Whether an address has signed a text (ERC-191). A signature of its own key is checked here; of a smart wallet, deployed (ERC-1271) or
 * not yet (ERC-6492), the chain's node asks the wallet's code, in one call. viem's own action is not used, because it
 * takes a node that does not answer for a wrong signature.
 *
 * @throws ServiceError where the node does not answer
 */
export async function verifySignature(
  client: ChainClient,
  { address, message, signature }: SignedMessage,
): Promise<boolean> {
  if (await isOfKey({ address, message, signature })) return true;
  const data = encodeDeployData({
    abi: erc6492SignatureValidatorAbi,
    bytecode: erc6492SignatureValidatorByteCode,
    args: [address, hashMessage(message), signature],
  });
  try {
    const answer = await client.rpc("eth_call", [{ data, gas: numberToHex(GAS) }, "latest"]);
    return answer === "0x01";
  } catch (error) {
    if (!(error instanceof RpcRefusal)) throw asServiceError(error);
    // The validator reverts for a signature of another form.
    if (isExecutionFailure(error)) return false;
    throw explainRefusal(error);
  }
}

async function isOfKey({ address, message, signature }: SignedMessage): Promise<boolean> {
  try {
    return isAddressEqual(address, await recoverMessageAddress({ message, signature }));
  } catch {
    // Not the form of a key's signature: it may be a wallet's.
    return false;
  }
}
