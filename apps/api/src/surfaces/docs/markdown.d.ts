/** The text of a file that is imported `with { type: "text" }`; a bundle contains it. */
declare module "*.md" {
  const text: string;
  export = text;
}
