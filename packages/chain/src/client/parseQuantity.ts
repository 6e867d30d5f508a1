const QUANTITY = /^0x[0-9a-f]{1,64}$/i;

/** A number of a node's answer: 0x and up to 64 hexadecimal digits. Null for anything else, including "0x". */
export function parseQuantity(value: unknown): bigint | null {
  return typeof value === "string" && QUANTITY.test(value) ? BigInt(value) : null;
}
