import { type ComponentType, type ReactNode, startTransition, useEffect, useState } from "react";
import { ErrorState } from "./ErrorState";
import { Loading } from "./Loading";

export type LazyPart<Props extends object> = ((props: Props) => ReactNode) & {
  /** Loads the code before it is shown. Code that can't be loaded is asked for again when it is shown. */
  preload(): Promise<void>;
};

/**
 * A part of the page whose code is loaded when it is first shown. Where it can't be loaded, the part is an error state that asks for
 * it again; everything around it stays, with what was typed there. `React.lazy` and the router's own form keep the failure, or load
 * the whole page again, which is the browser's own error while the service is away.
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
          setError(
            new Error("Its code could not be fetched: the service can't be reached. What you have typed is kept."),
          );
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
 * Loads the page again where the service answers: then it was updated, and the files of the version before are gone. Once in a minute
 * at most, so that a file that is missing for another reason is shown as an error.
 */
async function reloadAfterUpdate(): Promise<void> {
  const isUp = await fetch("/app/config.json").then(
    ({ ok }) => ok,
    () => false,
  );
  if (!isUp || Date.now() - Number(sessionStorage.getItem(RELOADED)) < RELOAD_PAUSE_MS) return;
  sessionStorage.setItem(RELOADED, String(Date.now()));
  location.reload();
}
