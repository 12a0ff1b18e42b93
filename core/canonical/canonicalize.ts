import { CountersignError } from '../errors/countersign-error.ts'
import { hasLoneSurrogate } from '../text/text-rules.ts'

/** Nesting that is taken unless the caller names another; deeper input is refused rather than risked on the stack. */
export const maxDepth = 64

/** A value that has no canonical form, and where in the document it stands. */
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
  return write(value, '', levels)
}

/** `levels` is what may still be opened. */
function write(value: unknown, pointer: string, levels: number): string {
  switch (typeof value) {
    case 'string':
      return writeText(value, pointer)
    case 'number':
      if (!Number.isFinite(value)) throw new CanonicalizationError(pointer, `${value} is not JSON`)
      // RFC 8785 section 3.2.2.3 takes ECMAScript's own number format, in which -0 is 0.
      return String(value)
    case 'boolean':
      return String(value)
    case 'object':
      if (value === null) return 'null'
      if (levels === 0) throw new CanonicalizationError(pointer, 'nested too deeply')
      return Array.isArray(value)
        ? `[${writeItems(value, pointer, levels - 1)}]`
        : `{${writeMembers(value, pointer, levels - 1)}}`
    default:
      throw new CanonicalizationError(pointer, `expected JSON, got ${typeof value}`)
  }
}

function writeText(text: string, pointer: string): string {
  if (hasLoneSurrogate(text))
    throw new CanonicalizationError(pointer, 'text may not hold half a surrogate pair')
  return JSON.stringify(text)
}

function writeItems(items: readonly unknown[], pointer: string, levels: number): string {
  let text = ''
  // By index, for a hole in an array is no JSON and `map` would step over it.
  for (let at = 0; at < items.length; at++)
    text += `${at === 0 ? '' : ','}${write(items[at], `${pointer}/${at}`, levels)}`
  return text
}

function writeMembers(value: object, pointer: string, levels: number): string {
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null)
    throw new CanonicalizationError(pointer, 'expected a plain object')
  // The order of UTF-16 code units (RFC 8785 section 3.2.3) is that of `sort`.
  return Object.keys(value)
    .sort()
    .map((name) => {
      const at = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
      return `${writeText(name, at)}:${write(Reflect.get(value, name), at, levels)}`
    })
    .join(',')
}
