import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdir, readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { version as solcVersion } from "solc/package.json";
import type { Abi, Hex } from "viem";

/** One compiled contract. `code` is what its deployment leaves on chain, where no immutables are set. */
export type Artifact = { abi: Abi; bytecode: Hex; code: Hex };
export type Artifacts = Record<string, Artifact>;

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
  outputSelection: { "*": { "*": ["abi", "evm.bytecode.object", "evm.deployedBytecode.object"] } },
};

/**
 * The contracts of `contracts/` by name. Compiles on the first call and keeps the result in `build/`, under the hash of
 * sources, settings and compiler version; two processes may do so at once.
 * @throws Error with the compiler's own messages
 */
export async function compile(): Promise<Artifacts> {
  const sources: Record<string, { content: string }> = {};
  for (const name of (await readdir(CONTRACTS)).sort()) {
    sources[name] = { content: await Bun.file(join(CONTRACTS, name)).text() };
  }
  const input = JSON.stringify({ language: "Solidity", sources, settings: SETTINGS });
  const key = createHash("sha256").update(solcVersion).update(input).digest("hex").slice(0, 16);
  const path = join(BUILD, `${key}.json`);
  const file = Bun.file(path);
  if (await file.exists()) return file.json();

  // Loaded only here: the compiler takes half a second to load.
  const { default: solc } = await import("solc");
  const artifacts = collect(JSON.parse(solc.compile(input, { import: readImport })), Object.keys(sources));
  await mkdir(BUILD, { recursive: true });
  const unfinished = `${path}.${process.pid}`;
  await Bun.write(unfinished, JSON.stringify(artifacts));
  await rename(unfinished, path);
  return artifacts;
}

function readImport(path: string): { contents: string } | { error: string } {
  try {
    return { contents: readFileSync(Bun.resolveSync(path, import.meta.dir), "utf8") };
  } catch {
    return { error: `${path} is not installed` };
  }
}

function collect(output: SolcOutput, sources: string[]): Artifacts {
  const errors = (output.errors ?? []).filter((error) => error.severity === "error");
  if (errors.length > 0) throw new Error(errors.map((error) => error.formattedMessage).join("\n"));
  const artifacts: Artifacts = {};
  for (const source of sources) {
    for (const [name, contract] of Object.entries(output.contracts?.[source] ?? {})) {
      const { bytecode, deployedBytecode } = contract.evm;
      artifacts[name] = { abi: contract.abi, bytecode: `0x${bytecode.object}`, code: `0x${deployedBytecode.object}` };
    }
  }
  return artifacts;
}
