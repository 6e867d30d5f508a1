import { type CheckoutResult, readButtonMessage } from "../checkout/sale/checkoutResult";
import { buttonStyles } from "./buttonStyles";

/** The event that the element fires when the checkout has ended. It bubbles. */
export const RESULT_EVENT = "dueday:result";

/** A checkout in a frame needs room: on a narrower screen, or with a finger as the pointer, it opens in a tab. */
const ROOM = "(min-width: 640px) and (pointer: fine)";
/** A frame that has not answered after this time does not work on this page: a policy of the shop forbids it. */
const FRAME_PATIENCE_MS = 8_000;

/** Attributes that go into the checkout's address, each with its name in the address. */
const QUERY = {
  chain: "chainId",
  reference: "reference",
  periods: "periods",
  proof: "proof",
  "return-url": "return_url",
} as const;

/**
 * `<dueday-button subscription="0x..." reference="...">Subscribe</dueday-button>`: opens the checkout of a plan, in a frame where the seller
 * has listed the shop's origin, and otherwise in a tab. Fires `dueday:result` with a `CheckoutResult` as its `detail`.
 *
 * Attributes: `subscription`, and where wanted `reference`, `chain`, `periods`, `return-url` and `proof="1"`.
 */
export class DuedayButton extends HTMLElement {
  /** Origin of this script and of the checkout. Set before the element is defined. */
  static host = "";

  readonly #root = this.attachShadow({ mode: "open" });
  readonly #button = document.createElement("button");
  readonly #note = document.createElement("p");
  #mayFrame: Promise<boolean> | null = null;
  /** Stops listening to the checkout that was opened last; null after its result. */
  #close: (() => void) | null = null;
  #tab: Window | null = null;

  connectedCallback(): void {
    if (this.#root.childElementCount === 0) this.#render();
    // Read before the click: a browser opens a tab only directly after a click.
    this.#mayFrame ??= this.#readMayFrame();
  }

  disconnectedCallback(): void {
    this.#close?.();
  }

  #render(): void {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(buttonStyles);
    this.#root.adoptedStyleSheets = [sheet];
    const label = document.createElement("slot");
    label.textContent = "Subscribe";
    this.#button.type = "button";
    this.#button.part.add("button");
    this.#button.append(label);
    this.#button.addEventListener("click", () => void this.#open());
    this.#note.setAttribute("role", "status");
    this.#note.hidden = true;
    this.#root.append(this.#button, this.#note);
  }

  /** Whether the seller lists this page's origin. False where the service does not answer: the tab then shows the error. */
  async #readMayFrame(): Promise<boolean> {
    const query = new URLSearchParams();
    const chainId = this.getAttribute("chain");
    if (chainId !== null) query.set("chainId", chainId);
    try {
      const response = await fetch(`${DuedayButton.host}/pay/${this.#subscription()}/frame-origins?${query}`);
      const { frameOrigins }: { frameOrigins?: unknown } = await response.json();
      return Array.isArray(frameOrigins) && frameOrigins.includes(location.origin);
    } catch {
      return false;
    }
  }

  #subscription(): string {
    return encodeURIComponent(this.getAttribute("subscription") ?? "");
  }

  #address(): string {
    const url = new URL(`/pay/${this.#subscription()}`, DuedayButton.host);
    for (const [attribute, name] of Object.entries(QUERY)) {
      const value = this.getAttribute(attribute);
      if (value !== null) url.searchParams.set(name, value);
    }
    url.searchParams.set("origin", location.origin);
    return url.href;
  }

  async #open(): Promise<void> {
    this.#say("");
    if (matchMedia(ROOM).matches && (await this.#mayFrame)) this.#openFrame();
    else this.#openTab();
  }

  #openTab(): void {
    if (this.#tab?.closed === false) {
      this.#tab.focus();
      return;
    }
    // A payer may have closed the tab, which sends nothing.
    this.#close?.();
    this.#tab = window.open(this.#address(), "_blank");
    if (this.#tab === null) this.#say("Your browser has blocked the tab of the checkout. Allow it, then try again.");
    else
      this.#listen(this.#tab, () => {
        this.#tab = null;
      });
  }

  #openFrame(): void {
    this.#close?.();
    const dialog = document.createElement("dialog");
    const frame = document.createElement("iframe");
    frame.title = "Checkout";
    frame.src = this.#address();
    frame.allow = "publickey-credentials-get; clipboard-write";
    dialog.append(frame);
    this.#root.append(dialog);
    dialog.showModal();
    const source = frame.contentWindow;
    if (source === null) throw new Error("the checkout's frame has no window");
    const patience = setTimeout(() => {
      this.#close?.();
      this.#mayFrame = Promise.resolve(false);
      this.#say("The checkout can't be shown here. Click again to open it in a tab.");
    }, FRAME_PATIENCE_MS);
    this.#listen(
      source,
      () => {
        clearTimeout(patience);
        dialog.remove();
        this.#button.focus();
      },
      () => clearTimeout(patience),
    );
    dialog.addEventListener("close", () => this.#close?.());
  }

  /** Takes messages of this one window, from the checkout's origin alone, until a result arrives or the checkout is closed. */
  #listen(source: Window, onClose: () => void, onReady: () => void = () => {}): void {
    const receive = (event: MessageEvent) => {
      if (event.source !== source || event.origin !== DuedayButton.host) return;
      const message = readButtonMessage(event.data);
      if (message?.type === "dueday:ready") onReady();
      if (message?.type === "dueday:result") this.#finish(message.result);
    };
    window.addEventListener("message", receive);
    this.#close = () => {
      this.#close = null;
      window.removeEventListener("message", receive);
      onClose();
    };
  }

  #finish(result: CheckoutResult): void {
    this.#close?.();
    this.dispatchEvent(new CustomEvent(RESULT_EVENT, { detail: result, bubbles: true, composed: true }));
  }

  #say(text: string): void {
    this.#note.textContent = text;
    this.#note.hidden = text === "";
  }
}
