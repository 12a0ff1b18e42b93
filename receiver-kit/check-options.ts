type Test = (value: unknown) => boolean

const isFunction: Test = (value) => typeof value === 'function'
const isTexts: Test = (value) =>
  Array.isArray(value) && value.every((text) => typeof text === 'string')
const hasMethods =
  (...names: readonly string[]): Test =>
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    names.every((name) => isFunction(Reflect.get(value, name)))

const expectations: Readonly<Record<string, readonly [expected: string, holds: Test]>> = {
  inbox: [
    'an inbox such as memoryInbox() or openSqliteInbox({ file })',
    hasMethods('store', 'take', 'hold', 'handled', 'failed', 'head', 'has'),
  ],
  keys: ["a list of keys, such as ['whpk_…']", isTexts],
  legacySecrets: ['a list of secrets', isTexts],
  clock: [
    'a clock with the functions now, monotonic and after',
    hasMethods('now', 'monotonic', 'after'),
  ],
  observer: ['an observer with the function event', hasMethods('event')],
  onEvent: ['a function', isFunction],
  onUnreadable: ['a function', isFunction],
  onOutcome: ['a function', isFunction],
  onProblem: ['a function', isFunction],
  retryAfterMs: ['a function of the attempt', isFunction],
}

/**
 * Checks options when they are given, for callers without types. Throws a TypeError that names the option, what was
 * expected and the type that came, never the value.
 */
export function checkOptions(options: object, required: readonly string[]): void {
  for (const [name, [expected, holds]] of Object.entries(expectations)) {
    const value: unknown = Reflect.get(options, name)
    if (holds(value) || (value === undefined && !required.includes(name))) continue
    const found = value instanceof Promise ? 'a promise: await it' : typeOf(value)
    throw new TypeError(`expected ${name} as ${expected}, got ${found}`)
  }
}

function typeOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'an array' : `${typeof value}`
}
