import { replayShard } from "./replayShard";

await replayShard(3);
