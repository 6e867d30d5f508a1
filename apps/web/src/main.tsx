import { RouterProvider } from "@tanstack/react-router";
import { StrictMode, startTransition } from "react";
import { createRoot } from "react-dom/client";
import "./commonParts";
import { loadAppConfig } from "./config/appConfig";
import { applyTheme } from "./config/theme";
import { createAppRouter, preloadPage } from "./router";
import { ErrorState } from "./states/ErrorState";

// The app starts in a separate task: evaluating its code is already the longest task of a load.
addEventListener("DOMContentLoaded", () => void start());

/** Shows the page of the address, in short tasks: a slow phone reacts to a tap between them. */
async function start(): Promise<void> {
  applyTheme();
  const config = await loadAppConfig().catch((error: Error) => error);
  const element = document.getElementById("root");
  if (element === null) throw new Error("the page has no element with the id root");
  const root = createRoot(element);
  if (config instanceof Error) {
    root.render(<ErrorState error={config} title="The service can't be reached" onRetry={() => location.reload()} />);
    return;
  }
  const router = createAppRouter(config);
  // Waits for the page's code, so that the first render is the page and not a placeholder. A transition renders in slices.
  await Promise.all([preloadPage(location.pathname), router.load()]);
  startTransition(() =>
    root.render(
      <StrictMode>
        <RouterProvider router={router} />
      </StrictMode>,
    ),
  );
}
