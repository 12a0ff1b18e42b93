import type { RegisterTest } from '@countersign/conformance'

/** Runs a suite, or one test of it, outside any runner and tells what failed. */
export async function failuresOf(
  suite: (test: RegisterTest) => void,
  only?: string,
): Promise<ReadonlyMap<string, string>> {
  const tests: { name: string; skip: string | undefined; run: () => Promise<void> }[] = []
  suite((name, { skip }, run) => tests.push({ name, skip, run }))
  const failures = new Map<string, string>()
  for (const { name, skip, run } of tests) {
    if (skip !== undefined || (only !== undefined && name !== only)) continue
    try {
      await run()
    } catch (error) {
      failures.set(name, String(error))
    }
  }
  return failures
}
