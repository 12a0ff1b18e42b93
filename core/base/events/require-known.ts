/**
 * Throws a TypeError for a member whose name is not known, such as an option that is misspelt, unless it is undefined:
 * what it was meant to do would be left out. Getters, methods, and what is hidden or inherited are members too.
 * `what`: what the members are, such as `options`.
 */
export function requireKnown<T extends object>(
  what: string,
  given: T,
  names: Readonly<Record<keyof T, unknown>>,
): void {
  const isOther = (name: string) =>
    !Object.hasOwn(names, name) && Reflect.get(given, name) !== undefined
  const other = memberNames(given).find(isOther)
  if (other !== undefined)
    throw new TypeError(`expected ${what} of ${Object.keys(names).join(', ')}, got ${other}`)
}

/** Names of all that an object has, but for what every object has. */
function memberNames(given: object): readonly string[] {
  const found = new Set<string>()
  for (let at: object | null = given; at; at = Object.getPrototypeOf(at))
    for (const name of Object.getOwnPropertyNames(at)) found.add(name)
  return [...found].filter((name) => !(name in Object.prototype))
}
