import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdir, readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { version as solcVersion } from "solc/package.json";
import type { Abi, Hex } from "viem";

/** A compiled contract. `code` is its code on the chain after a deployment, but for the values of immutables, which it lacks. */
export type Artifact = { abi: Abi; bytecode: Hex; code: Hex };

/** The files of `contracts/` whose contracts are put on a chain. */
export type SourceFile =
  | "SubscriptionProtocol"
  | "BulkSeeder"
  | "TestToken"
  | "OddTokens"
  | "BareTokens"
  | "SmartWallets";

type Artifacts = Record<string, Artifact>;
type SolcOutput = {
  errors?: { severity: string; formattedMessage: string }[];
  contracts?: Record<
    string,
    Record<string, { abi: Abi; evm: { bytecode: { object: string }; deployedBytecode: { object: string } } }>
  >;
};

const CONTRACTS = join(import.meta.dir, "../contracts");
const BUILD = join(import.meta.dir, "../build");

const SETTINGS = {
  evmVersion: "prague",
  optimizer: { enabled: true, runs: 200 },
  metadata: { appendCBOR: false },
};
const OUTPUT = ["abi", "evm.bytecode.object", "evm.deployedBytecode.object"];

/**
 * Returns a contract of `contracts/`. The file is compiled on first use (the protocol takes about 4 s) and cached in `build/`
 * under the hash of all sources, the settings and the compiler version. Several processes may compile at once.
 * @throws Error with the messages of the compiler, or if the file has no contract of that name
 */
export async function compile(file: SourceFile, contract: string = file): Promise<Artifact> {
  const { artifacts } = await compileFile(file);
  const artifact = artifacts[contract];
  if (!artifact) throw new Error(`contracts/${file}.sol has no contract ${contract}`);
  return artifact;
}

/** All contracts of a file, and the path of its cache. */
export async function compileFile(file: SourceFile): Promise<{ artifacts: Artifacts; path: string }> {
  const sources: Record<string, { content: string }> = {};
  for (const name of (await readdir(CONTRACTS)).sort()) {
    sources[name] = { content: await Bun.file(join(CONTRACTS, name)).text() };
  }
  const hash = createHash("sha256")
    .update(JSON.stringify([solcVersion, SETTINGS, sources]))
    .digest("hex");
  const path = join(BUILD, `${file}.${hash.slice(0, 16)}.json`);
  return { artifacts: (await readArtifacts(path)) ?? (await compileTo(path, `${file}.sol`, sources)), path };
}

async function readArtifacts(path: string): Promise<Artifacts | null> {
  const file = Bun.file(path);
  return (await file.exists()) ? file.json() : null;
}

async function compileTo(path: string, source: string, sources: Record<string, { content: string }>) {
  // Imported only when needed, because loading the compiler takes half a second.
  const { default: solc } = await import("solc");
  const settings = { ...SETTINGS, outputSelection: { [source]: { "*": OUTPUT } } };
  const input = JSON.stringify({ language: "Solidity", sources, settings });
  const artifacts = collect(JSON.parse(solc.compile(input, { import: readImport })), source);
  await mkdir(BUILD, { recursive: true });
  const unfinished = `${path}.${crypto.randomUUID()}`;
  await Bun.write(unfinished, JSON.stringify(artifacts));
  await rename(unfinished, path);
  return artifacts;
}

function readImport(path: string): { contents: string } | { error: string } {
  try {
    return { contents: readFileSync(Bun.resolveSync(path, import.meta.dir), "utf8") };
  } catch {
    return { error: `${path} is not installed: run "bun install"` };
  }
}

function collect(output: SolcOutput, source: string): Artifacts {
  const errors = (output.errors ?? []).filter((error) => error.severity === "error");
  if (errors.length > 0) throw new Error(errors.map((error) => error.formattedMessage).join("\n"));
  const artifacts: Artifacts = {};
  for (const [name, { abi, evm }] of Object.entries(output.contracts?.[source] ?? {})) {
    artifacts[name] = { abi, bytecode: `0x${evm.bytecode.object}`, code: `0x${evm.deployedBytecode.object}` };
  }
  return artifacts;
}
