import { Loading } from "../../states/Loading";

/** About as high as the seller's cards on a phone, so that nothing below them moves. */
const LINES = 30;

/** Stands in for the overview of a subscription until it is known whether the connected wallet is the provider's. */
export function OverviewLoading() {
  return <Loading label="the subscription" lines={LINES} />;
}
