import type { ParseArgsConfig } from 'node:util'

/** What a command is given of its process. */
export interface Surroundings {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly input: AsyncIterable<Uint8Array | string>
  /** Results. */
  out(text: string): void
  /** Progress and errors. */
  err(text: string): void
}

export interface Arguments {
  readonly values: Readonly<Record<string, string | boolean | undefined>>
  readonly positionals: readonly string[]
}

/** What a subcommand found or did. */
export interface Report {
  /** False: the command worked, and what it looked at is not as it must be; exit status 1. */
  readonly ok: boolean
  /** For people, each line ended. */
  readonly text: string
  /** The same for programs: what `--json` prints, beside `ok`. */
  readonly facts: Readonly<Record<string, unknown>>
}

export interface Subcommand {
  /** One line for the list of commands. */
  readonly summary: string
  /** Shown by `--help`: arguments, options, settings, an example. */
  readonly help: string
  /** Besides `--help` and `--json`, which every command has. */
  readonly options: NonNullable<ParseArgsConfig['options']>
  /** Names of the required positional arguments, in order. */
  readonly positionals: readonly string[]
  run(given: Arguments, around: Surroundings): Promise<Report>
}

/** The arguments are wrong, and nothing was done; exit status 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** A refusal or failure that the message explains without a stack trace; exit status 1. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
}

/** The database that `--database` names, or else the setting of the server. */
export function databaseOf({ values }: Arguments, { environment }: Surroundings): string {
  const named = values.database ?? environment.COUNTERSIGN_DATABASE
  if (typeof named === 'string' && named !== '') return named
  throw new UsageError(
    'no database is named: give --database FILE, or set COUNTERSIGN_DATABASE as the server has it',
  )
}

export const databaseOption = { database: { type: 'string' } } as const
