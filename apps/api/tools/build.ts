import { buildApi } from "./buildApi";

process.stderr.write(`API: ${await buildApi()}\n`);
