import type { Issue } from "@dueday/core/errors";
import { Address } from "@dueday/core/schema";
import type { TSchema } from "@sinclair/typebox";
import { getAddress, zeroAddress } from "viem";

/** Marks an address that signs or sends: the zero address has no key. */
export const signer = { notZero: true } as const;

/** Patterns of texts that contain addresses begin with it: one address, or several with commas between. */
const ADDRESS_FIRST = Address.pattern.slice(0, -1);

/**
 * Faults of addresses that fit their pattern, the first of each text: a mixed case that is not the checksum (a digit or the case of a
 * letter was mistyped), and the zero address where the address has to sign.
 */
export function addressFaults(schema: TSchema, value: unknown, path: string): Issue[] {
  if (typeof value === "string") {
    if (typeof schema.pattern !== "string" || !schema.pattern.startsWith(ADDRESS_FIRST)) return [];
    const faults = value.split(",").flatMap((address) => faultsOf(schema, address.slice(0, 42), path));
    return faults.slice(0, 1);
  }
  if (typeof value !== "object" || value === null) return [];
  const properties: Record<string, TSchema> = schema.properties ?? {};
  return Object.entries(value).flatMap(([key, each]) => {
    const own: TSchema | undefined = Object.hasOwn(properties, key) ? properties[key] : schema.items;
    return own === undefined ? [] : addressFaults(own, each, path === "" ? key : `${path}.${key}`);
  });
}

function faultsOf(schema: TSchema, address: string, path: string): Issue[] {
  const digits = address.slice(2);
  const isMixed = digits !== digits.toLowerCase() && digits !== digits.toUpperCase();
  const checksummed = getAddress(address.toLowerCase());
  if (isMixed && address !== checksummed) {
    const message = `has a wrong checksum in ${address}: with these digits it is ${checksummed}. Compare the address with its source, then send it in this form, or all in lower case`;
    return [{ code: "WRONG_CHECKSUM", path, message }];
  }
  if (schema.notZero === true && checksummed === zeroAddress) {
    const message = "must not be the zero address, which has no key. Send the address of the wallet";
    return [{ code: "ZERO_ADDRESS", path, message }];
  }
  return [];
}
