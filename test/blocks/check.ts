import { join } from "node:path";
import { allowedBlockCounts } from "./allowedBlockCounts";
import { type BlockCount, findBlockCounts, judgeBlockCounts } from "./findBlockCounts";

const ROOT = join(import.meta.dir, "../..");

const counts: BlockCount[] = [];
for (const path of new Bun.Glob("{packages,apps}/*/src/**/*.{ts,tsx}").scanSync(ROOT)) {
  if (path.includes(".test.")) continue;
  counts.push(...findBlockCounts(path, await Bun.file(join(ROOT, path)).text()));
}
const faults = judgeBlockCounts(counts, allowedBlockCounts);
for (const fault of faults) console.error(fault);
if (faults.length > 0) console.error("A block is 0.2 s on one chain and 12 s on another: test/blocks has the rules");
else console.log(`${counts.length} numbers count blocks, each for the reason that is listed`);
process.exitCode = faults.length > 0 ? 1 : 0;
