import classes from "./Loading.module.css";

/** Stands in for content while it is on its way, at about its height, so that the page does not jump. */
export function Loading({ label, lines = 3 }: { label: string; lines?: number }) {
  return (
    <div role="status" aria-label={`Loading ${label}`} data-loading className={classes.loading}>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} className={classes.line} />
      ))}
    </div>
  );
}
