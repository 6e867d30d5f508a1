import { testDepth } from "@dueday/test-support/testDepth";
import { replayShard } from "./replayShard";

await replayShard(4, testDepth);
