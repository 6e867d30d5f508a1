import { type Static, Type } from "@sinclair/typebox";
import { CalendarDate } from "../schema";
import { Leaving, preflight } from "./preflight";
import { subscribeFacts } from "./subscribeReadiness";

const changePlan = {
  leave: Type.Object(
    {
      ...Leaving.properties,
      nextDueDate: {
        ...CalendarDate,
        description:
          "Due date of the charge that leaving prevents, past where remit() is late; null where none would be made",
      },
    },
    { description: "The subscription that ends, and the fee balance that its provider receives" },
  ),
  join: Type.Object(subscribeFacts, {
    description: "The subscription that begins, with the figures of the wallet after it has left the other",
  }),
};

const ChangePlan = Type.Object(changePlan);
export type ChangePlanFacts = Static<typeof ChangePlan>;

/** `preflight` of changing from one subscription to another. */
export const ChangePlanPreflight = preflight(changePlan);
