import classes from "./CodeBlock.module.css";
import { CopyButton } from "./CopyButton";

/** A command or a program, with a button that copies it. */
export function CodeBlock({ label, text }: { label: string; text: string }) {
  return (
    <figure className={classes.block}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className={classes.frame} tabIndex={0} aria-label={label}>
        <pre className={classes.text}>
          <code>{text}</code>
        </pre>
      </section>
      <CopyButton text={text} label={`Copy ${label}`} />
    </figure>
  );
}
