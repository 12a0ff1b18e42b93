/** The ids that an endpoint serves: one, a list, or a test that answers true. */
export type Served = string | readonly string[] | ((id: string) => boolean)

/** Predicate for the ids that are served. Throws a TypeError for an empty list or a value that is no id. */
export function servedBy(option: 'applicationId' | 'tenantId', served: Served): IdTest {
  // Strict: a promise, from an async function, is truthy.
  if (typeof served === 'function') return (id) => served(id) === true
  const ids: readonly unknown[] = Array.isArray(served) ? served : [served]
  if (ids.length === 0 || !ids.every((id) => typeof id === 'string' && id !== ''))
    throw new TypeError(
      `expected ${option} as an id, a list of at least one id, or a function of an id`,
    )
  const all = new Set(ids)
  return (id) => all.has(id)
}

export type IdTest = (id: string) => boolean
