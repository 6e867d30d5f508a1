import type { TransactionSql } from "postgres";
import type { Hex } from "viem";

/** Converts hex to a parameter for a bytea column. */
export function toBytes(hex: Hex): Buffer {
  return Buffer.from(hex.slice(2), "hex");
}

/** Converts a bytea column to hex. */
export function fromBytes(bytes: Uint8Array): Hex {
  return `0x${bytes.toHex()}`;
}

/** A list of bytea values for `in`, of any length: as one parameter, because a statement can't have more than 65,535. */
export function bytesList(sql: TransactionSql, values: readonly Hex[]) {
  const digits = JSON.stringify(values.map((hex) => hex.slice(2)));
  return sql`(select decode(digits, 'hex') from json_array_elements_text(${digits}::text::json) digits)`;
}
