import type { Limiter } from "../limits/limiter";
import {
  keyCreationsDaily,
  keyCreationsPerAddress,
  keyCreationsPerSubject,
  webhookCreationsDaily,
  webhookReplaysDaily,
} from "../limits/policy";
import type { Counters } from "../operation/context";
import { callerOf, type Exchange } from "./exchange";
import { demandOf, takeBeside } from "./takeBeside";

/** The counters of one request. */
export function createCounters(limiter: Limiter, exchange: Exchange): Counters {
  const { client, lane, hasOwnLimits = false } = callerOf(exchange);
  return {
    keyCreation(subjectId, byOwner) {
      // Redis holds no subject in the clear.
      const subject = new Bun.CryptoHasher("sha256").update(subjectId).digest("base64url");
      const demands = [
        demandOf(keyCreationsPerAddress, `client:${client}`),
        // The admin creates the keys of many from one address.
        ...(byOwner ? [demandOf(keyCreationsDaily, `client:${client}`)] : []),
        demandOf(keyCreationsPerSubject, `subject:${subject}`),
      ];
      return takeBeside(limiter, exchange, demands, { lane: "free", upgradeHint: KEY_HINT });
    },
    async webhookCreation() {
      if (hasOwnLimits) return;
      const demand = demandOf(webhookCreationsDaily, `client:${client}`);
      await takeBeside(limiter, exchange, [demand], { lane, upgradeHint: WEBHOOK_HINT });
    },
    async webhookReplay(webhookId) {
      const demand = demandOf(webhookReplaysDaily, `webhook:${webhookId}`);
      await takeBeside(limiter, exchange, [demand], { lane, upgradeHint: REPLAY_HINT });
    },
  };
}

const KEY_HINT = "Create keys one after another; one key serves any number of processes";
const WEBHOOK_HINT =
  "All wallets and keys of your address count together: change a webhook instead of creating another one";
const REPLAY_HINT = "Send single events again (redeliver), or read them from GET /events";
