import { type ComponentType, type ReactNode, startTransition, useEffect, useState } from "react";
import { ErrorState } from "./ErrorState";
import { Loading } from "./Loading";

export type LazyPart<Props extends object> = ((props: Props) => ReactNode) & {
  /** Loads the code before the part is shown. Code that can't be loaded is asked for again when the part is shown. */
  preload(): Promise<void>;
};

/**
 * A part of the page whose code is loaded when it is first shown. Where the code can't be loaded, the part shows an error with a retry;
 * everything around it stays, with the texts that were typed there. `React.lazy` and the router's own version keep the failure, or
 * reload the whole page, which ends in the browser's own error page while the service is down.
 *
 * @param label what is loaded, as in "Loading the calendar"
 * @param Placeholder shown until then; as high as the part, so that what follows stays where it is
 */
export function lazyPart<Props extends object = object>(
  label: string,
  load: () => Promise<ComponentType<Props>>,
  Placeholder: ComponentType<Props> = () => <Loading label={label} />,
): LazyPart<Props> {
  let loaded: ComponentType<Props> | null = null;
  const ensure = async () => {
    loaded ??= await load();
  };

  function Part(props: Props) {
    const [isLoaded, setLoaded] = useState(loaded !== null);
    const [error, setError] = useState<Error | null>(null);
    const isWanted = !isLoaded && error === null;
    useEffect(() => {
      if (!isWanted) return;
      ensure().then(
        () => startTransition(() => setLoaded(true)),
        async () => {
          await reloadAfterUpdate();
          setError(new Error("Its code could not be fetched from the service. What you have typed is kept."));
        },
      );
    }, [isWanted]);
    if (error !== null)
      return <ErrorState error={error} title={`Could not load ${label}`} onRetry={() => setError(null)} />;
    const Loaded = loaded;
    return Loaded === null ? <Placeholder {...props} /> : <Loaded {...props} />;
  }

  return Object.assign(Part, { preload: () => ensure().catch(() => undefined) });
}

const RELOADED = "dueday-reloaded-at";
const RELOAD_PAUSE_MS = 60_000;

/**
 * Reloads the page where the service answers: in that case the service was updated, and the files of the previous version are gone.
 * Reloads at most once a minute, so that a file that is missing for another reason leads to an error and not to a loop.
 */
async function reloadAfterUpdate(): Promise<void> {
  const isUp = await fetch("/app/config.json").then(
    ({ ok }) => ok,
    () => false,
  );
  if (!isUp) return;
  try {
    if (Date.now() - Number(sessionStorage.getItem(RELOADED)) < RELOAD_PAUSE_MS) return;
    sessionStorage.setItem(RELOADED, String(Date.now()));
  } catch {
    // A browser that stores nothing is not reloaded: its reloads could not be counted.
    return;
  }
  location.reload();
}
