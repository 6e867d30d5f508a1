import { customType } from "drizzle-orm/pg-core";
import type { Hex } from "viem";

/** An id, a hash or an address as bytes: half of what its text takes, in the table and in each index. Lower-case hex outside. */
export const hexBytes = customType<{ data: Hex; driverData: Uint8Array }>({
  dataType: () => "bytea",
  toDriver: (hex) => Buffer.from(hex.slice(2), "hex"),
  fromDriver: (bytes) => `0x${bytes.toHex()}`,
});
