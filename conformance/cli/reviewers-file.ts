import { readFileSync, writeFileSync } from 'node:fs'
import { createSuiteReviewers, type SuiteReviewers, signerNames } from '../outcome/reviewers.ts'
import { UsageError } from '../receiver/index.ts'

/** Writes fresh reviewers for `readReviewers`; their endpoint pins what is under `pinned`. Throws a UsageError. */
export function writeReviewers(path: string): void {
  const { pinned, privateKeys } = createSuiteReviewers()
  try {
    const content = `${JSON.stringify({ pinned, privateKeys }, null, 2)}\n`
    writeFileSync(path, content, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    throw new UsageError(`--new-reviewers: ${(error as Error).message}`)
  }
}

/** The reviewers of such a file. Throws a UsageError. */
export function readReviewers(path: string): SuiteReviewers {
  try {
    const { privateKeys } = JSON.parse(readFileSync(path, 'utf8'))
    for (const name of signerNames)
      if (typeof privateKeys[name] !== 'string') throw new Error(`expected a key of ${name}`)
    return createSuiteReviewers(privateKeys)
  } catch (error) {
    throw new UsageError(
      `--reviewers expected a file of --new-reviewers, got ${path}: ${(error as Error).message}`,
    )
  }
}
