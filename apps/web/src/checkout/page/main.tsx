import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { applyTheme } from "../../config/theme";
import { readRequest } from "../sale/readRequest";
import { CheckoutPage } from "./CheckoutPage";
import { Stopped } from "./Stopped";

applyTheme();
const element = document.getElementById("root");
if (element === null) throw new Error("the page has no element with the id root");
const root = createRoot(element);

try {
  const request = readRequest(location);
  root.render(
    <StrictMode>
      <CheckoutPage request={request} />
    </StrictMode>,
  );
} catch (error) {
  if (!(error instanceof RangeError)) throw error;
  root.render(<Stopped title="This link can't be used" text={`${error.message} Ask the seller for another one.`} />);
}
