import type { RegisterTest } from '@countersign/conformance'
import { configureGlobal } from 'fast-check'

/** What stands before the one line of JSON that a run prints. */
export const marker = 'portable tests: '

export interface Told {
  readonly passed: readonly string[]
  readonly failed: readonly { readonly name: string; readonly error: string }[]
  readonly skipped: readonly string[]
}

/** Runs every test in whatever runtime this is and prints what became of each. */
export async function runPortable(
  suites: readonly ((test: RegisterTest) => void)[],
  seed: number | null,
): Promise<void> {
  if (seed !== null) configureGlobal({ seed })
  const tests: Parameters<RegisterTest>[] = []
  for (const register of suites) register((...test) => tests.push(test))
  const passed: string[] = []
  const failed: { name: string; error: string }[] = []
  const skipped: string[] = []
  for (const [name, { skip }, run] of tests) {
    if (skip !== undefined) {
      skipped.push(`${name}: ${skip}`)
      continue
    }
    try {
      await run()
      passed.push(name)
    } catch (error) {
      failed.push({ name, error: String(error) })
    }
  }
  console.log(marker + JSON.stringify({ passed, failed, skipped } satisfies Told))
}
