/**
 * Base of the errors that Countersign throws, each a bug, a broken port or malformed input; what is expected is a
 * refusal, a returned value. `code` is stable, `message` says what happened, what was expected and what to do.
 */
export abstract class CountersignError<Code extends string = string> extends Error {
  readonly code: Code

  constructor(code: Code, message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}
