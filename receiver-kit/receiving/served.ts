/** The ids that an endpoint serves: one, a list, or a test that answers true. */
export type Served = string | readonly string[] | ((id: string) => boolean)

/** Predicate for the ids that are served. Throws a TypeError for an empty list, `'*'` or a value that is no id. */
export function servedBy(option: 'applicationId' | 'tenantId', served: Served): IdTest {
  if (typeof served === 'function') return (id) => isServed(option, served(id))
  const ids: readonly unknown[] = Array.isArray(served) ? served : [served]
  if (ids.length === 0 || !ids.every((id) => typeof id === 'string' && id !== ''))
    throw new TypeError(
      `expected ${option} as an id, a list of at least one id, or a function of an id`,
    )
  if (ids.includes('*'))
    throw new TypeError(
      `expected ${option} as ids or a function of an id, got '*', which no id is: for all of them give () => true`,
    )
  const all = new Set(ids)
  return (id) => all.has(id)
}

/** A promise is refused: it is truthy whatever it resolves to, and its rejection would have no handler. */
function isServed(option: string, answer: unknown): boolean {
  if (!isThenable(answer)) return answer === true
  Promise.resolve(answer).catch(() => {})
  throw new TypeError(
    `expected ${option} to answer true or false, got a promise: load the ids before`,
  )
}

function isThenable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'then' in value
}

export type IdTest = (id: string) => boolean
