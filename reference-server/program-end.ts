import { parseArgs } from 'node:util'
import { CommandError, UsageError } from './command/subcommand.ts'
import { ConfigError } from './config.ts'
import { LostWritesError } from './lost-writes.ts'

/**
 * Exit status of every program here: done and sound, refused or found unsound, called with wrong arguments or settings,
 * ended by a fault of the program itself (EX_SOFTWARE).
 */
export const exit = { done: 0, failed: 1, usage: 2, died: 70 } as const
export type ExitStatus = (typeof exit)[keyof typeof exit]

/** What a person reads of the error that ended a program, and its exit status; only a bug shows its trace. */
export function explain(error: unknown): { readonly message: string; readonly status: ExitStatus } {
  if (!(error instanceof Error)) return { message: String(error), status: exit.died }
  const { message } = error
  if (error instanceof UsageError || error instanceof ConfigError)
    return { message, status: exit.usage }
  // A StoreError or an error of the system says what happened.
  if (error instanceof CommandError || error instanceof LostWritesError || 'code' in error)
    return { message, status: exit.failed }
  return { message: error.stack ?? message, status: exit.died }
}

/** Ends the process with what `explain` tells. */
export function endWith(program: string, error: unknown): never {
  const { message, status } = explain(error)
  process.stderr.write(`${program}: ${message}\n`)
  process.exit(status)
}

/** What a program was called with. */
export interface Given {
  /** Names of the flags that were given. */
  readonly flags: ReadonlySet<string>
  /** Empty unless the program takes words. */
  readonly words: readonly string[]
}

/** Reads the flags of a program; `--help` prints its usage and ends the process, as wrong arguments do. */
export function readArguments(
  program: string,
  usage: string,
  {
    flags = [],
    words = false,
  }: { readonly flags?: readonly string[]; readonly words?: boolean } = {},
): Given {
  try {
    const options = Object.fromEntries(flags.map((name) => [name, { type: 'boolean' as const }]))
    const help = { type: 'boolean', short: 'h' } as const
    const { values, positionals } = parseArgs({
      options: { ...options, help },
      allowPositionals: words,
    })
    if (values.help) {
      process.stdout.write(usage)
      process.exit(exit.done)
    }
    return { flags: new Set(Object.keys(values)), words: positionals }
  } catch (error) {
    process.stderr.write(`${program}: ${(error as Error).message}\n\n${usage}`)
    process.exit(exit.usage)
  }
}
