import { connectDatabase } from "@dueday/db/connectDatabase";
import { runIndexer } from "@dueday/worker/indexer/runIndexer";
import { indexContext } from "./indexFixture";
import { CONTRACT } from "./stubChain";

/** An indexer in a separate process, to be killed: `bun indexerProcess.ts <database url> <rpc url> <chain id>`. */
const [databaseUrl = "", url = "", chainId = ""] = process.argv.slice(2);
const database = connectDatabase({ url: databaseUrl, poolSize: 3 });
const fixture = { database, url, chainId: Number(chainId) };
runIndexer(indexContext({ ...fixture, contract: CONTRACT }));
