/** `get_remit_plan` -> `getRemitPlan`. */
export function camelCase(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}
