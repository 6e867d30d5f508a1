import { useState } from "react";
import { Button } from "./Button";
import classes from "./ConfirmButton.module.css";

export type ConfirmButtonProps = {
  label: string;
  /** What the action causes, as a sentence. */
  question: string;
  disabled?: boolean;
  onConfirm(): void;
};

/** A button for an action that can't be undone. A click replaces it by `question`, which the reader has to confirm. */
export function ConfirmButton({ label, question, disabled = false, onConfirm }: ConfirmButtonProps) {
  const [isAsking, setAsking] = useState(false);
  if (!isAsking) {
    return (
      <Button disabled={disabled} onClick={() => setAsking(true)}>
        {label}
      </Button>
    );
  }
  const confirm = () => {
    setAsking(false);
    onConfirm();
  };
  return (
    <span className={classes.confirm}>
      <span role="status">{question}</span>
      <Button kind="danger" disabled={disabled} onClick={confirm}>
        {label}
      </Button>
      <Button kind="plain" onClick={() => setAsking(false)}>
        Keep
      </Button>
    </span>
  );
}
