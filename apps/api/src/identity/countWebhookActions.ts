import type { Limiter } from "../limits/limiter";
import { webhookCreationsDaily, webhookReplaysDaily } from "../limits/policy";
import type { WebhookManagement } from "../operation/context";
import { demandOf, takeBeside } from "./takeBeside";

/** Counts what is done with webhooks beside the buckets of the routes. */
export function countWebhookActions(limiter: Limiter): Pick<WebhookManagement, "countCreation" | "countReplay"> {
  return {
    async countCreation({ client, lane, taken, hasOwnLimits }) {
      if (hasOwnLimits) return;
      const demand = demandOf(webhookCreationsDaily, `client:${client}`);
      await takeBeside(limiter, taken, [demand], { lane, upgradeHint: CREATION_HINT });
    },
    async countReplay({ lane, taken }, webhookId) {
      const demand = demandOf(webhookReplaysDaily, `webhook:${webhookId}`);
      await takeBeside(limiter, taken, [demand], { lane, upgradeHint: REPLAY_HINT });
    },
  };
}

const CREATION_HINT =
  "All wallets and keys of your address count together: change a webhook instead of creating another one";
const REPLAY_HINT = "Send single events again (redeliver), or read them from GET /events";
