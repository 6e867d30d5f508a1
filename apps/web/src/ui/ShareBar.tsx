import classes from "./ShareBar.module.css";

export type ShareBarProps = {
  /** Values from left to right, each with a CSS custom property as its colour. */
  parts: readonly { value: number; color: `--${string}` }[];
  /** The value of a full bar. */
  of: number;
};

/** A bar in a row of a table, so that rows compare at a glance. The figures stand beside it, so it is hidden from screen readers. */
export function ShareBar({ parts, of }: ShareBarProps) {
  return (
    <span className={classes.bar} aria-hidden="true">
      {parts.map(({ value, color }) => (
        <span
          key={color}
          className={classes.part}
          style={{ width: `${of === 0 ? 0 : (value / of) * 100}%`, background: `var(${color})` }}
        />
      ))}
    </span>
  );
}
