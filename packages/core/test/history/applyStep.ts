import type { CallStep, RecordedLog, Step } from "@dueday/devnet/replay/scenario";
import { cleanUnsubscribeList, cleanupCancelledSubscribers, pauseToken } from "./administering";
import type { History } from "./history";
import { cancelSubscription, createSubscription, editDetails } from "./providing";
import { Refused } from "./refuse";
import { remitOnce } from "./remitting";
import { subscribe, unsubscribe, unsubscribeByProvider } from "./subscribing";
import { tokenOf } from "./tokens";

/** What became of a step. Of a call: `logs` where it succeeded, `revert` where it left the history as it was. */
export type StepResult = { history: History; logs?: RecordedLog[]; revert?: string };

/** The history after one more step. The given one is not changed. */
export function applyStep(before: History, step: Step): StepResult {
  const history = structuredClone(before);
  if ("at" in step) history.today = Math.floor(step.at / 86_400);
  switch (step.op) {
    case "plan":
    case "warp":
      return { history };
    case "fund": {
      const token = tokenOf(history, step.token);
      token.balances.set(step.who, BigInt(step.balance));
      token.allowances.set(step.who, BigInt(step.allowance));
      return { history };
    }
    case "block": {
      const { blocked } = tokenOf(history, step.token);
      if (step.blocked) blocked.add(step.who);
      else blocked.delete(step.who);
      return { history };
    }
    default:
      try {
        return { history, logs: call(history, step) };
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        return { history: before, revert: error.code };
      }
  }
}

function call(history: History, step: CallStep): RecordedLog[] {
  switch (step.op) {
    case "createSubscription":
      return createSubscription(history, step);
    case "editDetails":
      return editDetails(history, step);
    case "cancelSubscription":
      return cancelSubscription(history, step.sub, step.by);
    case "subscribe":
      return subscribe(history, step.sub, step.by);
    case "unsubscribe":
      return unsubscribe(history, step.sub, step.by);
    case "unsubscribeByProvider":
      return unsubscribeByProvider(history, step.sub, step.by, step.subscriber);
    case "pauseToken":
      return pauseToken(history, step.token, step.pause);
    case "cleanupCancelledSubscribers":
      return cleanupCancelledSubscribers(history, step.sub);
    case "cleanUnsubscribeList":
      return cleanUnsubscribeList(history, step.sub);
    case "remit":
      return remitOnce(history, step.by);
  }
}
