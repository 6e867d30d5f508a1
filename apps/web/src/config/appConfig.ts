import type { AppConfig } from "@dueday/api/surfaces/app/appConfig";

export type { AppConfig };
export type AppChain = AppConfig["chains"][number];

/** What this installation offers. @throws Error where the service does not send it */
export async function loadAppConfig(): Promise<AppConfig> {
  const response = await fetch("/app/config.json");
  if (!response.ok) throw new Error(`The service answered ${response.status} instead of its settings`);
  return response.json();
}
