import { expect, test } from "bun:test";
import { KeeperError } from "./keeperError";
import { readArguments } from "./readArguments";

const KEY = `0x${"11".repeat(32)}`;

function fault(argv: string[], key?: string): string {
  try {
    readArguments(argv, key);
  } catch (error) {
    if (error instanceof KeeperError) return error.message;
    throw error;
  }
  throw new Error("the arguments were accepted");
}

test("every fault is reported at once, and none quotes the key", () => {
  const secret = `${KEY}0`;
  const text = fault(["--api", "ftp://x", "--contract", "0x12", "--interval", "0"], secret);
  for (const name of ["--api", "--rpc", "--contract", "--interval", "KEEPER_PRIVATE_KEY"]) expect(text).toContain(name);
  expect(text).not.toContain("1111");
});

test("a key beyond the curve's order is malformed", () => {
  expect(fault(["--rpc", "http://127.0.0.1:1"], `0x${"f".repeat(64)}`)).toContain("KEEPER_PRIVATE_KEY must be");
});

test("an unknown option is refused and --help is named", () => {
  expect(fault(["--private-key", KEY])).toContain("--help");
});

test("a dry run needs neither node nor key, settling needs both", () => {
  expect(readArguments(["--dry-run"], undefined)).toMatchObject({ rpcUrl: null, privateKey: null, dryRun: true });
  const lines = fault([]).split("\n");
  expect(lines).toEqual([
    expect.stringContaining("--rpc is missing"),
    expect.stringContaining("KEEPER_PRIVATE_KEY is"),
  ]);
  expect(readArguments(["--rpc", "http://127.0.0.1:1", "--once"], KEY)).toMatchObject({
    once: true,
    intervalMs: 300_000,
  });
});

test("--help needs no other argument", () => {
  expect(readArguments(["--help"], undefined)).toBeNull();
});

test("cost limits are read in ether and gwei, exactly", () => {
  const token = `0x${"ab".repeat(20)}`;
  const argv = ["--rpc", "http://127.0.0.1:1", "--min-profit", "0.000000000000000001", "--max-gas-price", "0.05"];
  const settings = readArguments([...argv, "--price", `${token}:7`, "--price", `${token}:8`, "--jitter", "0"], KEY);
  expect(settings).toMatchObject({
    ...{ jitterMs: 0 },
    costLimits: { minProfitWei: 1n, maxGasPrice: 50_000_000n, prices: [`${token}:7`, `${token}:8`] },
  });
  expect(fault([...argv, "--jitter", "-1"], KEY)).toContain("--jitter");
  expect(fault(argv, KEY)).toContain("--min-profit needs a --price");
  expect(fault(["--rpc", "http://127.0.0.1:1", "--max-gas-price", "1e3"], KEY)).toContain("--max-gas-price");
});
