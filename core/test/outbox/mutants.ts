import assert from 'node:assert/strict'

/** Proves that a property has teeth: it holds for the real thing and for none of these, each named for its fault. */
export function killsMutants<T>(
  property: (subject: T) => void,
  real: T,
  mutants: Readonly<Record<string, T>>,
): void {
  property(real)
  for (const [name, mutant] of Object.entries(mutants))
    assert.throws(() => property(mutant), `the mutant "${name}" survived`)
}
