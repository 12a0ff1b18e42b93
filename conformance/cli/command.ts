/** What a command is given of its surroundings. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Results. */
  out(text: string): void
  /** Progress and errors. */
  err(text: string): void
  /** Whether `err` is a terminal, which can rewrite its last line. */
  readonly terminal: boolean
}

/**
 * Resolves to the exit status: 0 as promised, 1 not, 2 wrong arguments or surroundings. A rejection is a fault of the
 * command itself: the program ends with 70 (EX_SOFTWARE).
 */
export type Command = (args: readonly string[], around: Surroundings) => Promise<number>
