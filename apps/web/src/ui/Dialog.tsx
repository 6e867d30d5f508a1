import { type ReactNode, useEffect, useId, useRef } from "react";
import { Button } from "./Button";
import classes from "./Dialog.module.css";

export type DialogProps = { title: string; isOpen: boolean; onClose(): void; children: ReactNode };

/** A dialog above the page, with its title and a button that closes it. */
export function Dialog({ title, isOpen, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const element = dialog.current;
    if (isOpen && element?.open === false) element.showModal();
    if (!isOpen) element?.close();
  }, [isOpen]);
  return (
    <dialog ref={dialog} className={classes.dialog} aria-labelledby={id} onClose={onClose}>
      <div className={classes.header}>
        <h2 id={id}>{title}</h2>
        <Button kind="plain" onClick={onClose}>
          Close
        </Button>
      </div>
      {isOpen && children}
    </dialog>
  );
}
