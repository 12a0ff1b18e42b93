import { CountersignError } from '../errors/countersign-error.ts'
import { hasLoneSurrogate } from '../text/text-rules.ts'

/** Nesting that is taken unless the caller names another; deeper input is refused rather than risked on the stack. */
export const maxDepth = 64

/** A value that has no canonical form, and its place in the document. */
export class CanonicalizationError extends CountersignError<'no_canonical_form'> {
  override readonly name = 'CanonicalizationError'
  /** JSON pointer (RFC 6901). */
  readonly pointer: string

  constructor(pointer: string, detail: string) {
    super('no_canonical_form', `at ${pointer === '' ? 'the top' : pointer}: ${detail}`)
    this.pointer = pointer
  }
}

/**
 * The canonical JSON text of a value (RFC 8785): one text for all documents that mean the same, so that a hash
 * of its UTF-8 bytes names the document. Throws `CanonicalizationError` for what JSON can't hold (undefined,
 * functions, big integers, class instances, non-finite numbers), for half surrogate pairs and past `levels` of nesting.
 */
export function canonicalize(value: unknown, levels: number = maxDepth): string {
  return write(value, [], levels)
}

/**
 * The canonical JSON text of an object in pieces: its members one by one, and of those that are lists the items. Throws
 * as `canonicalize` does.
 */
export function* canonicalPieces(
  document: object,
  levels: number = maxDepth,
): Generator<string, void> {
  let separator = '{'
  for (const name of Object.keys(document).sort()) {
    const member: unknown = Reflect.get(document, name)
    const path: Path = [name]
    const start = `${separator}${writeText(name, path)}:`
    separator = ','
    if (!Array.isArray(member)) {
      yield start + write(member, path, levels - 1)
      continue
    }
    yield `${start}[`
    for (let at = 0; at < member.length; at++)
      yield `${at === 0 ? '' : ','}${write(member[at], [name, at], levels - 2)}`
    yield ']'
  }
  yield separator === '{' ? '{}' : '}'
}

/** Names and indexes that lead to a value; a pointer is made of them for an error alone. */
type Path = (string | number)[]

/** `levels` is what may still be opened. */
function write(value: unknown, path: Path, levels: number): string {
  switch (typeof value) {
    case 'string':
      return writeText(value, path)
    case 'number':
      if (!Number.isFinite(value)) throw failure(path, `${value} is not JSON`)
      // RFC 8785 section 3.2.2.3 takes ECMAScript's own number format, in which -0 is 0.
      return String(value)
    case 'boolean':
      return String(value)
    case 'object':
      if (value === null) return 'null'
      if (levels === 0) throw failure(path, 'nested too deeply')
      return Array.isArray(value)
        ? `[${writeItems(value, path, levels - 1)}]`
        : `{${writeMembers(value, path, levels - 1)}}`
    default:
      throw failure(path, `expected JSON, got ${typeof value}`)
  }
}

function writeText(text: string, path: Path): string {
  if (hasLoneSurrogate(text)) throw failure(path, 'text may not hold half a surrogate pair')
  return JSON.stringify(text)
}

function writeItems(items: readonly unknown[], path: Path, levels: number): string {
  let text = ''
  // By index, for a hole in an array is no JSON and `map` would step over it.
  for (let at = 0; at < items.length; at++) {
    path.push(at)
    text += `${at === 0 ? '' : ','}${write(items[at], path, levels)}`
    path.pop()
  }
  return text
}

function writeMembers(value: object, path: Path, levels: number): string {
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null)
    throw failure(path, 'expected a plain object')
  let text = ''
  // The order of UTF-16 code units (RFC 8785 section 3.2.3) is that of `sort`.
  for (const name of Object.keys(value).sort()) {
    path.push(name)
    text += `${text === '' ? '' : ','}${writeText(name, path)}:`
    text += write(Reflect.get(value, name), path, levels)
    path.pop()
  }
  return text
}

function failure(path: Path, detail: string): CanonicalizationError {
  const parts = path.map((part) => String(part).replaceAll('~', '~0').replaceAll('/', '~1'))
  return new CanonicalizationError(parts.map((part) => `/${part}`).join(''), detail)
}
