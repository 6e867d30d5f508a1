import { isIP } from "node:net";
import { type StaticDecode, type TSchema, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { type Address, getAddress, isAddress, zeroAddress } from "viem";

/**
 * The kinds of values that a setting can have. Each decodes the text from the environment, or throws to reject it. `description`
 * completes the sentence "must be …": it names the form, the unit and the bounds.
 */

const INTEGER = "^(?:0|[1-9][0-9]{0,15})$";

/** A whole number within bounds. `unit` is a plural noun, as in "milliseconds". */
export function integer(minimum: number, maximum: number, unit?: string) {
  const form = unit === undefined ? "a whole number" : `a whole number of ${unit}`;
  return Type.Transform(Type.String({ pattern: INTEGER, description: `${form}, ${minimum} to ${maximum}` }))
    .Decode((text) => {
      const value = Number(text);
      accept(value >= minimum && value <= maximum);
      return value;
    })
    .Encode(String);
}

export const blockNumber = Type.Transform(Type.String({ pattern: INTEGER, description: "a block number, 0 or higher" }))
  .Decode(BigInt)
  .Encode(String);

export const boolean = Type.Transform(
  Type.Union([Type.Literal("true"), Type.Literal("false")], { description: "true or false" }),
)
  .Decode((text) => text === "true")
  .Encode((value) => (value ? "true" : "false"));

/** Text on one line, without control characters. */
export const text = Type.String({
  pattern: "^[^\\x00-\\x1f\\x7f]+$",
  description: "one line of text without control characters",
});

export const secret = Type.String({ minLength: 16, description: "at least 16 characters long" });

export const encryptionKey = Type.String({
  pattern: "^[0-9a-fA-F]{64}$",
  description: "64 hex digits, as printed by: openssl rand -hex 32",
});

export function oneOf<T extends string>(...values: T[]) {
  // A union of a list of unknown length has no static type.
  return Type.Unsafe<T>(
    Type.Union(
      values.map((value) => Type.Literal(value)),
      { description: `one of ${values.join(", ")}` },
    ),
  );
}

export const address = addressOtherThan(null, "an address");
export const nonZeroAddress = addressOtherThan(zeroAddress, "an address other than zero");

/** An address, decoded to its checksummed form. A wrong checksum is rejected as a likely typing error. */
function addressOtherThan(refused: Address | null, name: string) {
  const description = `${name}: 0x and 40 hex digits, in lower case or with a correct checksum`;
  return Type.Transform(Type.String({ description }))
    .Decode((value) => {
      accept(isAddress(value) && value !== refused);
      return getAddress(value);
    })
    .Encode(String);
}

/** A URL with one of these protocols, unchanged. User name and password have to be decodable: the clients of the stores decode them. */
export function url(...protocols: string[]) {
  const beginnings = protocols.map((p) => `${p}://`).join(" or ");
  return checked(`a URL that begins with ${beginnings}; in a user name or password, % is written as %25`, (value) => {
    const { protocol, username, password } = new URL(value);
    decodeURIComponent(`${username}:${password}`);
    return protocols.includes(protocol.slice(0, -1)) && /^[a-z]+:\/\/[^\s]+$/.test(value);
  });
}

/** The value of an Origin header, or `*` for every origin. */
export const origin = checked(
  "an origin such as https://example.org (no path), or *",
  (value) => value === "*" || new URL(value).origin === value,
);

/** A host as in a Host header, with or without a port. */
export const hostName = Type.String({
  pattern: "^[A-Za-z0-9.:\\[\\]-]+$",
  description: "a host name or IP address, with or without a port, such as api.example.org or 127.0.0.1",
});

/** A host to listen on: the port is a separate setting. */
export const listeningHost = checked(
  "a host name or IP address without a port, such as 127.0.0.1 or ::1",
  (value) => /^[A-Za-z0-9.-]+$/.test(value) || isIP(value.replace(/^\[(.+)\]$/, "$1")) === 6,
);

/** A range of IP addresses in CIDR notation; a single address is a range of one. */
export const cidr = Type.Transform(
  Type.String({ description: "an IP address or a range in CIDR notation, such as 10.0.0.0/8 or fd00::/8" }),
)
  .Decode((value) => {
    const [base = "", bits, ...rest] = value.split("/");
    const width = { 0: -1, 4: 32, 6: 128 }[isIP(base)] ?? -1;
    accept(width > 0 && rest.length === 0);
    const prefix = bits ?? String(width);
    accept(/^\d{1,3}$/.test(prefix) && Number(prefix) <= width);
    return `${base}/${prefix}`;
  })
  .Encode(String);

/** A name server as an IP address, with a port where it is another than 53: `1.1.1.1`, `127.0.0.1:5353` or `[::1]:5353`. */
export const nameServer = checked(
  "an IP address of a name server, with a port if it is not 53, such as 127.0.0.1:5353 or [::1]:5353",
  (value) => {
    const [, v6, v4, port] = /^(?:\[([0-9a-fA-F:.]+)\]|([0-9.]+))(?::(\d{1,5}))?$/.exec(value) ?? [];
    const isAddress = v6 === undefined ? isIP(v4 ?? "") === 4 : isIP(v6) === 6;
    return isIP(value) !== 0 || (isAddress && Number(port ?? 53) >= 1 && Number(port ?? 53) <= 65_535);
  },
);

/** Items of one kind, separated by commas. Spaces around an item are ignored; a repeated item is rejected. */
export function list<T extends TSchema>(item: T) {
  return Type.Transform(
    Type.String({
      description: `a list separated by commas, without repetitions, in which each item is ${item.description}`,
    }),
  )
    .Decode((value): StaticDecode<T>[] => {
      const parts = value.split(",").map((part) => part.trim());
      const items = parts.map((part) => Value.Decode(item, part));
      accept(new Set(items).size === items.length);
      return items;
    })
    .Encode((items) => items.join(","));
}

/** Text that `fits` accepts, unchanged. `fits` may also throw. */
function checked(description: string, fits: (value: string) => boolean) {
  return Type.Transform(Type.String({ description }))
    .Decode((value) => {
      accept(fits(value));
      return value;
    })
    .Encode(String);
}

function accept(fits: boolean): void {
  if (!fits) throw new RangeError("not allowed");
}
