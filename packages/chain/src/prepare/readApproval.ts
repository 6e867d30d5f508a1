import { validationError } from "@dueday/core/errors";

/**
 * What to approve: an unlimited allowance; the initial charge and all that the account pays in the token within a number of periods of the
 * plan; or, by default, the amount of one period. Subscribing approves nothing where the present allowance is enough. Where an unlimited one
 * is wished for, that is an allowance which covers the initial charge and one period.
 */
export type ApprovalWish = { infiniteApproval?: boolean; approvalPeriods?: number };

/** What a renewal approves; `exact` leaves out the account's other plans. */
export type RenewalWish = ApprovalWish & { exact?: boolean };

/** Periods that an approval can cover at most. */
export const MOST_APPROVAL_PERIODS = 120;

export type GivenApproval = { approvalPeriods?: number | undefined; infiniteApproval?: boolean | undefined };

/** @throws ServiceError VALIDATION_ERROR where both are given, or approvalPeriods is not 1 to 120. */
export function readApproval({ approvalPeriods, infiniteApproval }: GivenApproval): ApprovalWish {
  if (approvalPeriods === undefined) return infiniteApproval === undefined ? {} : { infiniteApproval };
  if (!Number.isInteger(approvalPeriods) || approvalPeriods < 1 || approvalPeriods > MOST_APPROVAL_PERIODS) {
    const message = `must be a whole number of periods, 1 to ${MOST_APPROVAL_PERIODS}`;
    throw validationError("approvalPeriods", "OUT_OF_RANGE", message);
  }
  if (infiniteApproval === true) {
    throw validationError(
      "approvalPeriods",
      "CONTRADICTION",
      "must not be sent with infiniteApproval: true, which approves without limit; send one of the two",
    );
  }
  return { approvalPeriods };
}
