import type { ChainClient } from "@dueday/chain/client/createChainClient";
import { readSubscriptions } from "@dueday/chain/reads/readSubscriptions";
import { readTokenInfos } from "@dueday/chain/reads/readTokenInfos";
import { cleanText } from "@dueday/core/text/cleanText";
import { type Address, getAddress, type Hex } from "viem";
import type { ChainData } from "./indexContext";

/** The indexer's questions, asked through a chain client. */
export function chainData(client: ChainClient, contract: Address): ChainData {
  return {
    rpc: client.rpc,
    readTerms: (ids, block) => readSubscriptions(client, { contract, ids, block }),
    async readTokens(tokens, block) {
      const addresses = tokens.map((token) => getAddress(token));
      const infos = await readTokenInfos(client, { contract, tokens: addresses, block });
      return [...infos.values()].map(({ address, symbol, decimals }) => ({
        token: toLowerCase(address),
        symbol: cleanText(symbol).text,
        decimals,
      }));
    },
  };
}

function toLowerCase(hex: Hex): Hex {
  return hex.toLowerCase() as Hex; // 0x stays 0x
}
