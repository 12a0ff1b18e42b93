/** Options or arguments that can't work; the message says what was expected and what came. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'UsageError'
  }
}
