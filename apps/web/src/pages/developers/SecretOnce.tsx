import { Notice } from "../../states/Notice";
import { Button } from "../../ui/Button";
import { CodeBlock } from "../../ui/CodeBlock";

/** A secret that the service shows only once. It leaves the page when the reader closes it. */
export function SecretOnce({
  title,
  label,
  text,
  onClose,
}: {
  title: string;
  label: string;
  text: string;
  onClose(): void;
}) {
  return (
    <Notice tone="good" title={title} action={<Button onClick={onClose}>I have stored it</Button>}>
      <p>It is shown only now. Keep it where no one else can read it.</p>
      <CodeBlock label={label} text={text} />
    </Notice>
  );
}
