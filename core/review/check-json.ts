import { CanonicalizationError, canonicalize } from '../base/canonical/canonicalize.ts'
import { type Errors, wrong } from '../kernel/ledger/input-errors.ts'

/** Checks that a value can be stored, hashed and sent as a JSON document. */
export function checkJson(value: unknown, pointer: string): Errors {
  try {
    // Plain data in JSON, but copying it by assignment sets an object's prototype.
    return /(?<!\\)"__proto__":/.test(canonicalize(value))
      ? [wrong(pointer, 'a member may not be called __proto__')]
      : []
  } catch (error) {
    if (error instanceof CanonicalizationError)
      return [wrong(`${pointer}${error.pointer}`, error.message)]
    throw error
  }
}
