import type { Report } from '../receiver/index.ts'

/** The exit status for what a run found. */
export function exitCode(
  { failed, failedRequired, outOfTime }: Report,
  { strict = false }: { readonly strict?: boolean } = {},
): number {
  if ((strict ? failed : failedRequired) > 0) return 1
  return outOfTime > 0 ? 3 : 0
}
