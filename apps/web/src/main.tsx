import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { loadAppConfig } from "./config/appConfig";
import { applyTheme } from "./config/theme";
import { createAppRouter, preloadPage } from "./router";
import { ErrorState } from "./states/ErrorState";

applyTheme();
const element = document.getElementById("root");
if (element === null) throw new Error("the page has no element with the id root");
const root = createRoot(element);

preloadPage(location.pathname);
loadAppConfig().then(
  (config) =>
    root.render(
      <StrictMode>
        <RouterProvider router={createAppRouter(config)} />
      </StrictMode>,
    ),
  (error: Error) =>
    root.render(<ErrorState error={error} title="The service can't be reached" onRetry={() => location.reload()} />),
);
