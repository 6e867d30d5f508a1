import { useState } from "react";
import { useLabel } from "../config/labels";
import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import classes from "./LabelButton.module.css";
import { LabelEditor } from "./LabelEditor";

/** Opens the editor of this browser's labels, with the given address filled in. */
export function LabelButton({ address = "" }: { address?: string }) {
  const [isOpen, setOpen] = useState(false);
  const label = useLabel(address);
  const words = address === "" ? "Labels" : label === undefined ? "Add a label" : "Change the label";
  return (
    <span className={classes.onScreen}>
      <Button aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {words}
      </Button>
      <Dialog title="Labels of addresses" isOpen={isOpen} onClose={() => setOpen(false)}>
        <LabelEditor address={address} onDone={() => setOpen(false)} />
      </Dialog>
    </span>
  );
}
