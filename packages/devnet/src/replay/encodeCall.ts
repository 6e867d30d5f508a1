import { encodeCancelSubscription } from "@dueday/core/calldata/encodeCancelSubscription";
import { encodeCreateSubscription } from "@dueday/core/calldata/encodeCreateSubscription";
import { encodeEditDetails } from "@dueday/core/calldata/encodeEditDetails";
import { encodeRemit } from "@dueday/core/calldata/encodeRemit";
import { encodeSubscribe } from "@dueday/core/calldata/encodeSubscribe";
import { encodeUnsubscribe } from "@dueday/core/calldata/encodeUnsubscribe";
import { encodeUnsubscribeByProvider } from "@dueday/core/calldata/encodeUnsubscribeByProvider";
import { encodeFunctionData, type Hex } from "viem";
import { adminAbi } from "../abi/adminAbi";
import { onlyId } from "../onlyId";
import type { Names } from "./names";
import type { ProtocolCall } from "./scenario";

/** Encodes a recorded call. */
export function encodeCall(call: ProtocolCall, names: Names): Hex {
  switch (call.op) {
    case "createSubscription": {
      const { url, description, frequency, dueDay } = call;
      const token = names.addressOf(call.token);
      return encodeCreateSubscription({
        amount: BigInt(call.amount),
        token,
        details: { url, description },
        frequency,
        dueDay,
      });
    }
    case "subscribe":
      return encodeSubscribe(onlyId(names.hexOf(call.sub)));
    case "unsubscribe":
      return encodeUnsubscribe(onlyId(names.hexOf(call.sub)));
    case "cancelSubscription":
      return encodeCancelSubscription(onlyId(names.hexOf(call.sub)));
    case "unsubscribeByProvider":
      return encodeUnsubscribeByProvider(onlyId(names.hexOf(call.sub)), names.addressOf(call.subscriber));
    case "editDetails":
      return encodeEditDetails({ url: call.url, description: call.description }, names.hexOf(call.sub));
    case "remit":
      return encodeRemit();
    case "pauseToken": {
      const args = [names.addressOf(call.token), call.pause] as const;
      return encodeFunctionData({ abi: adminAbi, functionName: "pauseToken", args });
    }
    case "cleanupCancelledSubscribers": {
      const args = [onlyId(names.hexOf(call.sub))] as const;
      return encodeFunctionData({ abi: adminAbi, functionName: "cleanupCancelledSubscribers", args });
    }
    case "cleanUnsubscribeList": {
      const args = [names.hexOf(call.sub)] as const;
      return encodeFunctionData({ abi: adminAbi, functionName: "cleanUnsubscribeList", args });
    }
  }
}
