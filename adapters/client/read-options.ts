/** The names of all options of a kind. */
export type OptionNames<T> = Readonly<Record<keyof T, true>>

/**
 * The options as they are now, each read once, with functions bound to what they were given with. By name: a spread
 * leaves out what a class has by a getter or inherits. What is undefined is left out. Throws a TypeError for one of
 * another name, and for `reviewers` that can check nothing, such as null: decisions would count without the check that
 * was meant.
 */
export function readOptions<T extends object>(given: T, names: OptionNames<T>): T {
  for (const name in given)
    if (!Object.hasOwn(names, name) && given[name] !== undefined)
      throw new TypeError(`expected options of ${Object.keys(names).join(', ')}, got ${name}`)
  const options = readMembers(given, names)
  if ('reviewers' in names && 'reviewers' in given) requirePins(Reflect.get(options, 'reviewers'))
  return options
}

/** As `readOptions`, of whatever names there are. */
export function readMembers<T extends object>(given: T, names: OptionNames<T>): T {
  const members = Object.keys(names).flatMap((name) => {
    const value: unknown = Reflect.get(given, name)
    if (value === undefined) return []
    return [[name, typeof value === 'function' ? value.bind(given) : value] as const]
  })
  return Object.fromEntries(members) as T
}

function requirePins(reviewers: unknown): void {
  if (typeof Reflect.get(Object(reviewers), 'faultOf') === 'function') return
  const got = reviewers === null ? 'null' : typeof reviewers
  throw new TypeError(`expected reviewers as pinReviewers makes it, got ${got}`)
}
