/** The button inherits the shop's font and takes its colours from two custom properties; the checkout fills a dialog. */
export const buttonStyles = `
:host { display: inline-block; }
button {
  font: inherit; font-weight: 600; line-height: 1.25; cursor: pointer;
  padding: 0.75em 1.25em; border: 0; border-radius: 6px;
  color: var(--dueday-text, #fff); background: var(--dueday-ground, #4338ca);
}
button:focus-visible { outline: 3px solid var(--dueday-ground, #4338ca); outline-offset: 2px; }
p { font: inherit; margin: 0.5em 0 0; max-width: 24em; }
dialog {
  border: 0; padding: 0; border-radius: 10px; overflow: hidden;
  width: min(26rem, 100vw); height: min(46rem, 100dvh); max-height: 100dvh; background: Canvas;
}
dialog::backdrop { background: rgb(0 0 0 / 50%); }
iframe { display: block; border: 0; width: 100%; height: 100%; }
`;
