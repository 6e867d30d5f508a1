import { sha256 } from "../identity/sessionToken";
import type { Limiter } from "../limits/limiter";
import {
  failedMailTokens,
  keyCreationsDaily,
  keyCreationsPerAddress,
  keyCreationsPerSubject,
  mailConfirmationsPerAccount,
  mailConfirmationsPerAddress,
  webhookChallenges,
  webhookCreationsDaily,
  webhookReplaysDaily,
} from "../limits/policy";
import { rateLimited } from "../limits/rateLimited";
import type { Counters } from "../operation/context";
import { callerOf, type Exchange } from "./exchange";
import { demandOf, giveBackRoute, takeBeside } from "./takeBeside";

/** The counters of one request. Redis holds no subject in the clear. */
export function createCounters(limiter: Limiter, exchange: Exchange): Counters {
  const { client, lane, hasOwnLimits = false } = callerOf(exchange);
  return {
    keyCreation(subjectId, byOwner) {
      const demands = [
        demandOf(keyCreationsPerAddress, `client:${client}`),
        // The admin creates keys for many owners from one address, so the daily limit does not apply.
        ...(byOwner ? [demandOf(keyCreationsDaily, `client:${client}`)] : []),
        demandOf(keyCreationsPerSubject, `subject:${sha256(subjectId)}`),
      ];
      return takeBeside(limiter, exchange, demands, { lane, upgradeHint: KEY_HINT });
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
    async mailConfirmation(account) {
      const demands = [
        demandOf(mailConfirmationsPerAddress, `client:${client}`),
        demandOf(mailConfirmationsPerAccount, `subject:${sha256(account)}`),
      ];
      await takeBeside(limiter, exchange, demands, { lane, upgradeHint: MAIL_HINT });
    },
    async failedMailToken() {
      const demand = demandOf(failedMailTokens, `client:${client}`);
      await takeBeside(limiter, exchange, [demand], { lane, upgradeHint: LINK_HINT });
    },
    async webhookChallenge(webhookId, { delivery, ...state }) {
      const fits = delivery !== null;
      if (!fits) await giveBackRoute(limiter, exchange);
      const demand = demandOf(webhookChallenges, `webhook:${webhookId}`);
      const states = [...(exchange.decision?.states ?? []), { demand, fits, ...state }];
      exchange.decision = { admitted: fits, states };
      if (fits) return delivery;
      throw rateLimited(exchange.decision, { lane, upgradeHint: CHALLENGE_HINT, period: "any 24 hours" });
    },
  };
}

const LINK_HINT = "Follow the link of the mail, with all of its text";
const MAIL_HINT = "Follow the link in the mail that was sent; it is valid for 24 hours";
const KEY_HINT = "Create keys one after another; one key serves any number of processes";
const WEBHOOK_HINT =
  "All wallets and keys of your address count together: change a webhook instead of creating another one";
const CHALLENGE_HINT = "Correct the receiver first: GET /webhooks/:id/deliveries shows its answers";
const REPLAY_HINT = "Send single events again (redeliver), or read them from GET /events";
