/** The names of all options of a kind. */
export type OptionNames<T> = Readonly<Record<keyof T, true>>

/**
 * The options as they are now, each read once, with functions bound to what they were given with. By name: a spread
 * leaves out what a class has by a getter or inherits. What is undefined is left out. Throws a TypeError for a member
 * of another name, for a list, a Map or a function, whose members are no options, and for `reviewers` that can check
 * nothing, such as null: decisions would count without the check that was meant.
 */
export function readOptions<T extends object>(given: T, names: OptionNames<T>): T {
  const isObject = typeof given === 'object' && !(Symbol.iterator in given)
  const isOther = (name: string) =>
    !Object.hasOwn(names, name) && Reflect.get(given, name) !== undefined
  const other = isObject ? memberNames(given).find(isOther) : 'another kind of value'
  if (other !== undefined)
    throw new TypeError(`expected options of ${Object.keys(names).join(', ')}, got ${other}`)
  const options = readMembers(given, names)
  const pins: unknown = Reflect.get(options, 'reviewers')
  // A Proxy may hide what it has.
  if ('reviewers' in names && (pins !== undefined || 'reviewers' in given)) requirePins(pins)
  return options
}

/** As `readOptions`, of whatever names there are. */
export function readMembers<T extends object>(given: T, names: OptionNames<T>): T {
  const members = Object.keys(names).flatMap((name) => {
    const value: unknown = Reflect.get(given, name)
    return value === undefined ? [] : [[name, ofObject(given, value)] as const]
  })
  return Object.fromEntries(members) as T
}

/**
 * A plain copy of an object, each member read once: its own, those it inherits, and those that a class has by getters.
 * Functions, such as methods of a class, are nothing that is sent, and left out.
 */
export function copyMembers<T extends object>(given: T): T {
  const members = memberNames(given).map((name) => [name, Reflect.get(given, name)] as const)
  return Object.fromEntries(members.filter(([, value]) => typeof value !== 'function')) as T
}

/** Names of all that an object has, methods of its class too, but for what every object has. */
function memberNames(given: object): readonly string[] {
  const found = new Set<string>()
  for (let at: object | null = given; at; at = Object.getPrototypeOf(at))
    for (const name of Object.getOwnPropertyNames(at)) found.add(name)
  return [...found].filter((name) => !(name in Object.prototype))
}

/** A function bound to its object; one with members, such as a class that has static ones, stays as it is. */
function ofObject(given: object, value: unknown): unknown {
  if (typeof value !== 'function') return value
  const isMember = (name: string) => name !== 'prototype' && !(name in Function.prototype)
  return Object.getOwnPropertyNames(value).some(isMember) ? value : value.bind(given)
}

function requirePins(reviewers: unknown): void {
  if (typeof Reflect.get(Object(reviewers), 'faultOf') === 'function') return
  const got = reviewers === null ? 'null' : typeof reviewers
  throw new TypeError(`expected reviewers as pinReviewers makes it, got ${got}`)
}
