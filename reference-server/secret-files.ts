import { readFileSync } from 'node:fs'

type Environment = Readonly<Record<string, string | undefined>>

/** Settings whose values are never shown. A token that was set in place of its hash must not be either. */
export const secretSettings: ReadonlySet<string> = new Set([
  'COUNTERSIGN_DATABASE_URL',
  'COUNTERSIGN_MASTER_KEY',
  'COUNTERSIGN_PREVIOUS_MASTER_KEYS',
  'COUNTERSIGN_SESSION_SECRET',
  'COUNTERSIGN_STAFF_TOKENS',
])

/**
 * The environment with the secrets whose files it names: `NAME_FILE`, in place of `NAME`, is the path of a file that
 * holds the value, with or without a line break at its end. `problems` has a line for each that can't be taken.
 */
export function readSecretFiles(environment: Environment): {
  readonly environment: Environment
  readonly problems: readonly string[]
} {
  const found: Record<string, string | undefined> = { ...environment }
  const problems: string[] = []
  for (const name of secretSettings) {
    const named = `${name}_FILE`
    const file = environment[named]
    if (file === undefined) continue
    delete found[named]
    if (environment[name] !== undefined) problems.push(`${named}: expected it or ${name}, got both`)
    else
      try {
        found[name] = readFileSync(file, 'utf8').replace(/\r?\n$/, '')
      } catch (error) {
        problems.push(`${named}: ${(error as Error).message}`)
      }
  }
  return { environment: found, problems }
}
