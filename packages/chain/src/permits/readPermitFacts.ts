import { erc20Abi } from "@dueday/core/abi/erc20";
import { permitViewsAbi } from "@dueday/core/abi/permit";
import { ServiceError } from "@dueday/core/errors";
import { PERMIT_TYPEHASH, type PermitDomain } from "@dueday/core/permit/permit";
import { cleanText } from "@dueday/core/text/cleanText";
import { type Address, domainSeparator, getAddress, type Hex } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { contractRead } from "../reads/contractRead";
import { type ReadResult, readMany } from "../reads/readMany";

/** What a permit for the contract depends on, at one block. */
export type PermitFacts = {
  domain: PermitDomain;
  /** Of the owner: each permit uses up one nonce. */
  nonce: bigint;
  /** Of the owner for the contract, token units. */
  allowance: bigint;
};

export type PermitFactsParameters = { contract: Address; token: Address; owner: Address; block: ChainBlock };

/** Fields of an EIP-712 domain that a permit is built with: name, version, chain and contract (EIP-5267). */
const KNOWN_FIELDS = "0x0f";
/** Of a name or version, in characters: a person has to compare it. */
const LONGEST_TEXT = 100;

/**
 * The domain of a token's permits in its parts. The hash of these is compared with the token's own, so that a person sees what they sign.
 *
 * @throws ServiceError PERMIT_UNSUPPORTED for a token without EIP-2612, or whose parts do not give its hash; UPSTREAM_* where the node fails
 */
export async function readPermitFacts(
  client: ChainClient,
  { contract, token, owner, block }: PermitFactsParameters,
): Promise<PermitFacts> {
  const view = { address: token, abi: permitViewsAbi };
  const [nonce, separator, typehash, own, name, version, allowance] = await readMany(
    client,
    [
      contractRead({ ...view, functionName: "nonces", args: [owner] }),
      contractRead({ ...view, functionName: "DOMAIN_SEPARATOR", args: [] }),
      contractRead({ ...view, functionName: "PERMIT_TYPEHASH", args: [] }),
      contractRead({ ...view, functionName: "eip712Domain", args: [] }),
      contractRead({ ...view, functionName: "name", args: [] }),
      contractRead({ ...view, functionName: "version", args: [] }),
      contractRead({ address: token, abi: erc20Abi, functionName: "allowance", args: [owner, contract] }),
    ],
    block,
  );
  if (!nonce.ok || !separator.ok || !allowance.ok) throw unsupported("has no permit of EIP-2612");
  if (typehash.ok && typehash.value !== PERMIT_TYPEHASH)
    throw unsupported("has a permit of another form than EIP-2612");
  const domain = own.ok
    ? domainOf(own.value)
    : { name: textOf(name), version: textOf(version) ?? "1", chainId: client.chain.id, verifyingContract: token };
  if (domain?.name == null) throw unsupported("does not show the domain of its permits as plain text");
  const { name: named, ...rest } = domain;
  const known = { name: named, ...rest };
  if (domainSeparator({ domain: known }) !== separator.value)
    throw unsupported("reports another domain than the one that its permits are signed with");
  return { domain: known, nonce: nonce.value, allowance: allowance.value };
}

type Eip712Domain = readonly [Hex, string, string, bigint, Address, Hex, readonly bigint[]];

/** Null where the domain has fields that a permit is not built with. */
function domainOf([fields, name, version, chainId, verifyingContract, , extensions]: Eip712Domain) {
  const isKnown = fields === KNOWN_FIELDS && extensions.length === 0 && chainId <= Number.MAX_SAFE_INTEGER;
  if (!isKnown || !isPlain(name) || !isPlain(version)) return null;
  return { name, version, chainId: Number(chainId), verifyingContract: getAddress(verifyingContract) };
}

function textOf(result: ReadResult<string>): string | null {
  return result.ok && isPlain(result.value) ? result.value : null;
}

/** Whether a text has no hidden characters: it has to be shown and signed exactly as it is. */
function isPlain(text: string): boolean {
  return text.length > 0 && text.length <= LONGEST_TEXT && cleanText(text).text === text;
}

function unsupported(what: string): ServiceError {
  const message = `The token ${what}, so its allowance can't be set by a signature: prepare an approve instead`;
  return new ServiceError("PERMIT_UNSUPPORTED", message);
}
