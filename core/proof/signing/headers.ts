type HeaderValue = string | readonly string[] | null | undefined

/**
 * Headers in whatever form the host has them: a function from a lower-case name, an object with `get` (Fetch
 * Headers), an object of values (Node's `headers`), a list of pairs, or a flat list of names and values (Node's
 * `rawHeaders`). Names in an object or a list may be in any case.
 */
export type HeaderSource =
  | ((name: string) => HeaderValue)
  | { get(name: string): HeaderValue }
  | Readonly<Record<string, HeaderValue>>
  | readonly (readonly [name: string, value: string])[]
  | readonly string[]

export interface HeaderRefusal {
  readonly ok: false
  readonly code: 'missing_header' | 'duplicate_header'
  readonly detail: string
}

/** The header's one value, or the refusal of a header that is missing or was sent twice. */
export function singleHeader(source: HeaderSource, name: string): string | HeaderRefusal {
  return headerOnce(source, name) ?? refusal('missing_header', `expected the header ${name}`)
}

/** Like `singleHeader`, but null for a header that is missing. */
export function headerOnce(source: HeaderSource, name: string): string | HeaderRefusal | null {
  const values = headerValues(source, name)
  if (values.length > 1)
    return refusal(
      'duplicate_header',
      `expected the header ${name} once, got it ${values.length} times`,
    )
  return values[0] ?? null
}

/** Every value that a header was sent with; `name` is lower-case. Each place is read once. */
function headerValues(source: HeaderSource, name: string): readonly string[] {
  if (typeof source === 'function') return listed(source(name), name)
  if (typeof source !== 'object' || source === null)
    throw new TypeError(`expected headers as an object, a list or a function, got ${typeof source}`)
  if (isList(source)) return inList(source, name)
  if (hasGet(source)) return listed(source.get(name), name)
  return inObject(source, name)
}

function isList(
  source: object,
): source is readonly (readonly [name: string, value: string])[] | readonly string[] {
  return Array.isArray(source)
}

function hasGet(source: object): source is { get(name: string): HeaderValue } {
  return 'get' in source && typeof source.get === 'function'
}

function inObject(source: Readonly<Record<string, HeaderValue>>, name: string): readonly string[] {
  let values: readonly string[] = []
  for (const key of Object.keys(source)) {
    if (!isNamed(key, name)) continue
    const found = listed(source[key], name)
    values = values.length === 0 ? found : [...values, ...found]
  }
  return values
}

function inList(
  source: readonly (readonly [name: string, value: string])[] | readonly string[],
  name: string,
): readonly string[] {
  const values: string[] = []
  for (let at = 0; at < source.length; at++) {
    const item = source[at]
    const isPair = Array.isArray(item)
    const key = isPair ? item[0] : item
    const value = isPair ? item[1] : source[++at]
    if (typeof key === 'string' && isNamed(key, name)) values.push(...listed(value, name))
  }
  return values
}

/** Lengths first, for a request has many headers and three that matter. */
function isNamed(key: string, name: string): boolean {
  return key.length === name.length && (key === name || key.toLowerCase() === name)
}

function listed(value: unknown, name: string): readonly string[] {
  if (typeof value === 'string') return [value]
  if (value === null || value === undefined) return []
  if (Array.isArray(value)) return value.flatMap((one) => listed(one, name))
  throw new TypeError(`expected the header ${name} as text, got ${typeof value}`)
}

function refusal(code: HeaderRefusal['code'], detail: string): HeaderRefusal {
  return { ok: false, code, detail }
}
