import type { Json } from './tamperings.ts'

export type Path = readonly (string | number)[]

/** A value in which one place is told otherwise. */
export interface Told<T> {
  /** What is done, to which member: `replace cases[0].decision`. */
  readonly name: string
  /** The kind of place: without numbers. */
  readonly place: string
  readonly told: T
}

const placeOf = (path: Path) =>
  path.map((each, at) => (typeof each === 'number' ? '[]' : at === 0 ? each : `.${each}`)).join('')

const nameOf = (path: Path) =>
  path
    .map((each, at) => (typeof each === 'number' ? `[${each}]` : at === 0 ? each : `.${each}`))
    .join('')

function placesOf(value: unknown, path: Path): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [path]
  const within = Object.entries(value).flatMap(([name, member]) =>
    placesOf(member, [...path, Array.isArray(value) ? Number(name) : name]),
  )
  return [path, ...within]
}

function at(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((holder, name) => (holder as Record<string, unknown>)[name], value)
}

/** A copy of a value in which one place is changed. */
function changed<T>(whole: T, path: Path, change: (holder: never, name: never) => void): T {
  const copy = structuredClone(whole)
  change(at(copy, path.slice(0, -1)) as never, path.at(-1) as never)
  return copy
}

const isTime = (text: string) => /^"?\d{4}-\d\d-\d\dT/.test(text)

/** Other values that could stand there, by what is done. */
function otherwise(was: unknown): Readonly<Record<string, unknown>> {
  if (typeof was === 'string' && isTime(was)) {
    const quote = was.startsWith('"') ? '"' : ''
    const told = (ms: number) =>
      `${quote}${new Date(Date.parse(was.replaceAll('"', '')) + ms).toISOString()}${quote}`
    return { 'date earlier': told(-86_400_000), 'date later': told(60_000) }
  }
  if (typeof was === 'string' && /^[0-9a-f]{64}$/.test(was))
    return { replace: was.replace(/^./, (digit) => (digit === 'a' ? 'b' : 'a')) }
  if (was === 'approved') return { replace: 'rejected' }
  if (typeof was === 'string')
    return { replace: was.endsWith('"') ? `${was.slice(0, -1)}x"` : `${was}x` }
  if (typeof was === 'number') return { replace: was + 1 }
  if (typeof was === 'boolean') return { replace: !was }
  if (was === null) return { add: 'x' }
  return Array.isArray(was) ? { replace: [] } : { replace: null }
}

/** Each place below a path told otherwise, or left out. */
export function* fieldsTold<T>(whole: T, path: Path = []): Generator<Told<T>> {
  for (const each of placesOf(at(whole, path), path)) {
    if (each.length <= path.length) continue
    const put = (value: unknown) =>
      changed(whole, each, (holder: Json, name: string) => {
        holder[name] = value
      })
    for (const [how, value] of Object.entries(otherwise(at(whole, each))))
      yield { name: `${how} ${nameOf(each)}`, place: placeOf(each), told: put(value) }
    if (typeof each.at(-1) === 'string')
      yield {
        name: `leave out ${nameOf(each)}`,
        place: placeOf(each),
        told: changed(whole, each, (holder: Json, name: string) => {
          Reflect.deleteProperty(holder, name)
        }),
      }
  }
}

/** A list with items left out, doubled or in another order. */
export function* listTold<T>(whole: T, path: Path): Generator<Told<T>> {
  const items = at(whole, path) as readonly Json[]
  const told: Record<string, readonly Json[]> = {}
  for (const [place, item] of items.entries()) {
    told[`leave out ${place} of`] = items.toSpliced(place, 1)
    told[`add ${place} twice to`] = items.toSpliced(place, 0, item)
    if (place > 0) told[`leave out ${place} and all behind of`] = items.slice(0, place)
    if (place > 0)
      told[`reorder ${place} in`] = items.toSpliced(place - 1, 2, item, items[place - 1] as Json)
  }
  told['leave out all of'] = []
  for (const [how, list] of Object.entries(told))
    yield {
      name: `${how} ${nameOf(path)}`,
      place: placeOf(path),
      told: changed(whole, path, (holder: Json, name: string) => {
        holder[name] = list
      }),
    }
}
