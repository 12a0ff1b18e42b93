import { longest, most } from '../kernel/ledger/limits.ts'
import { listOf } from '../kernel/members.ts'
import { name, oneOf, type Shape } from '../kernel/shape.ts'
import { usual } from '../kernel/wrap.ts'

/** A glob or a name of what applications send, whose white space counts. */
export const pattern: Shape<string> = { ...name(longest.pattern), take: (given) => given }

/** Globs or names; none unless given. */
export const patterns = usual(listOf(pattern, { most: most.patterns }), [])

/** Some of these texts; none unless given. */
export function someOf<const V extends readonly string[]>(
  values: V,
): Shape<readonly V[number][], readonly V[number][] | undefined> {
  return usual(listOf(oneOf(values), { most: values.length }), [])
}
