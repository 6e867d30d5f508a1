import { AccountChargesView } from "@dueday/core/schemas/accountCharges";
import type { Static } from "@sinclair/typebox";
import { chainAnswer } from "../../operation/chainAnswer";

/** What an account will be charged. */
export const AccountCharges = chainAnswer(AccountChargesView.properties);
export type AccountCharges = Static<typeof AccountCharges>;
