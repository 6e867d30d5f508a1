import { DuedayButton } from "./DuedayButton";

// The element that loads this script: its src is `/pay.js` of the service.
const { currentScript } = document;
if (!(currentScript instanceof HTMLScriptElement) || currentScript.src === "")
  throw new Error("pay.js must be loaded by a script element with a src");
DuedayButton.host = new URL(currentScript.src).origin;
if (customElements.get("dueday-button") === undefined) customElements.define("dueday-button", DuedayButton);
