import { same } from './same.ts'
import { show } from './show.ts'

/** Longer values are told by the first place where they differ. */
const mostChars = 600

/** What was expected and what came, short enough for a line of any runner. */
export function difference(actual: unknown, expected: unknown): string {
  const [want, got] = [show(expected), show(actual)]
  if (want.length + got.length <= mostChars) return `expected ${want}, got ${got}`
  const at = firstDifference(actual, expected)
  return `${at.path}: expected ${cut(show(at.expected))}, got ${cut(show(at.actual))}`
}

interface Place {
  readonly path: string
  readonly actual: unknown
  readonly expected: unknown
}

function firstDifference(actual: unknown, expected: unknown): Place {
  let place: Place = { path: 'at the top', actual, expected }
  for (let names: string[] = []; ; ) {
    const { actual: a, expected: b } = place
    if (!isBranch(a) || !isBranch(b)) return place
    if (a instanceof Uint8Array && b instanceof Uint8Array) {
      const at = b.findIndex((byte, one) => byte !== a[one])
      if (at < 0) return place
      return { path: `${place.path}, byte ${at}`, actual: a[at], expected: b[at] }
    }
    const name = [...new Set([...Object.keys(b), ...Object.keys(a)])].find(
      (one) => !same(Reflect.get(a, one), Reflect.get(b, one)),
    )
    if (name === undefined) return place
    names = [...names, name]
    place = {
      path: `at ${names.join('.')}`,
      actual: Reflect.get(a, name),
      expected: Reflect.get(b, name),
    }
  }
}

const isBranch = (value: unknown): value is object => typeof value === 'object' && value !== null

function cut(text: string): string {
  const most = mostChars / 2
  return text.length <= most ? text : `${text.slice(0, most)}… (${text.length} characters)`
}
