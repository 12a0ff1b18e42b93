import type { RegisterTest } from '@countersign/conformance'

/** Runs a suite outside any runner and tells which of its tests failed. */
export async function failuresOf(
  suite: (test: RegisterTest) => void,
): Promise<ReadonlyMap<string, string>> {
  const tests: { name: string; skip: string | undefined; run: () => Promise<void> }[] = []
  suite((name, { skip }, run) => tests.push({ name, skip, run }))
  const failures = new Map<string, string>()
  for (const { name, skip, run } of tests) {
    if (skip !== undefined) continue
    try {
      await run()
    } catch (error) {
      failures.set(name, String(error))
    }
  }
  return failures
}
