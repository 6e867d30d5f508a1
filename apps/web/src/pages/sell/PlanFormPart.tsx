import { Loading } from "../../states/Loading";
import { lazyWallet } from "../../wallet/lazyWallet";

/** About as high as the form. */
const FORM_LINES = 20;

/** The form of a new plan, apart from its page: the router loads both at once. */
export const PlanFormPart = lazyWallet(
  "the form",
  () => import("./PlanForm").then((module) => module.PlanForm),
  () => <Loading label="the form" lines={FORM_LINES} />,
);
