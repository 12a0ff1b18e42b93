import { wrong } from '../kernel/ledger/input-errors.ts'
import type { FieldError } from '../kernel/ledger/refusal.ts'

/** The ids that rules to save have; undefined for a new rule. */
interface GivenIds {
  readonly ids: readonly (string | undefined)[]
  /** The JSON pointer of the id of the rule at an index. */
  readonly at: (index: number) => string
}

/** Faults of ids that are given twice. */
export function repeatedIds({ ids, at }: GivenIds): readonly FieldError[] {
  return ids.flatMap((id, index) =>
    id !== undefined && ids.indexOf(id) !== index ? wrong(at(index), 'is listed twice') : [],
  )
}

/** Faults of ids that the application does not know; `what` names what has them. */
export function unknownIds(
  { ids, at }: GivenIds,
  known: { has(id: string): boolean },
  what: string,
): readonly FieldError[] {
  const detail = `expected the id of a ${what} of this application, or none for a new ${what}`
  return ids.flatMap((id, index) =>
    id === undefined || known.has(id) ? [] : wrong(at(index), detail),
  )
}
