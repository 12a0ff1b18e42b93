import {
  deepest,
  type FieldError,
  faultOfName,
  hasLoneSurrogate,
  isExactNumber,
  jsonFaults,
} from '@countersign/core/ledger'
import { pointerOf } from './pointer.ts'

/** Objects, arrays, texts, numbers and literals of a body; bounds what its validation and its digest may take. */
export const valueLimit = 10_000

const numberToken = /[-+.\deE]+/y

/** An open object (with the names that it has had) or array, and the member or item that is being read. */
interface Open {
  readonly names: Set<string> | null
  at: string | number
  expectsName: boolean
}

/**
 * The first thing in a JSON text that parsing would change or that nothing behind it should meet: a repeated member,
 * a number that no double holds, half a surrogate pair, a member named like an object's insides, too many levels or
 * values. Null for a sound text, and for a text that is no JSON, which the parser refuses.
 *
 * One pass without recursion, linear in the text, that stops at the first fault.
 */
export function scanJson(text: string): FieldError | null {
  const open: Open[] = []
  const strings = stringReader(text)
  let values = 0

  for (let at = 0; at < text.length; at++) {
    const within = open.at(-1)
    switch (text[at]) {
      case '"': {
        const string = strings.read(at)
        if (!string) return null
        at = string.end
        if (within?.expectsName) {
          const fault = enterName(within, string.value)
          if (fault) return nameFault(open, fault, string.value)
        } else {
          if (++values > valueLimit) return tooMany(open)
          if (string.escaped && hasLoneSurrogate(string.value))
            return faultAt(open, jsonFaults.halfPair)
        }
        break
      }
      case '{':
      case '[': {
        if (++values > valueLimit) return tooMany(open)
        if (open.length === deepest) return faultAt(open, jsonFaults.levels)
        const isObject = text[at] === '{'
        open.push({
          names: isObject ? new Set() : null,
          at: isObject ? '' : 0,
          expectsName: isObject,
        })
        break
      }
      case '}':
      case ']':
        open.pop()
        break
      case ',':
        if (within?.names) within.expectsName = true
        else if (within) within.at = Number(within.at) + 1
        break
      case 't':
      case 'f':
      case 'n':
        if (++values > valueLimit) return tooMany(open)
        // The rest of the word; a wrong one is the parser's to refuse.
        at += 3
        break
      case ' ':
      case '\n':
      case '\r':
      case '\t':
      case ':':
      // The last letter of `false`.
      case 'e':
        break
      default: {
        numberToken.lastIndex = at
        const [number] = numberToken.exec(text) ?? []
        if (number === undefined) return null
        if (++values > valueLimit) return tooMany(open)
        if (!isExactNumber(number)) return faultAt(open, jsonFaults.number)
        at += number.length - 1
      }
    }
  }
  return null
}

type NameFault = NonNullable<ReturnType<typeof faultOfName>> | 'repeatedName'

/** Enters a name among the object's, or says what is wrong with it. */
function enterName(within: Open, name: string): NameFault | null {
  const fault = faultOfName(name)
  if (fault) return fault
  if (within.names?.has(name)) return 'repeatedName'
  within.names?.add(name)
  within.at = name
  within.expectsName = false
  return null
}

function nameFault(open: readonly Open[], fault: NameFault, name: string): FieldError {
  const outer = open.slice(0, -1)
  // A name that is too long, or no text, is in no pointer.
  if (fault === 'longName' || fault === 'halfPair') return faultAt(outer, jsonFaults[fault])
  const told = invalid([...outer.map((place) => place.at), name], jsonFaults[fault])
  return fault === 'repeatedName' ? { ...told, code: 'duplicate_member' } : told
}

function tooMany(open: readonly Open[]): FieldError {
  return faultAt(open, `expected at most ${valueLimit} members and items`)
}

function faultAt(open: readonly Open[], detail: string): FieldError {
  return invalid(
    open.map((place) => place.at),
    detail,
  )
}

function invalid(path: readonly PropertyKey[], detail: string): FieldError {
  return { code: 'invalid_value', detail, pointer: pointerOf(path), parameter: null }
}

interface ReadString {
  readonly value: string
  /** The place of its closing quote. */
  readonly end: number
  readonly escaped: boolean
}

/** Reads strings in the order of the text. */
function stringReader(text: string): { read(start: number): ReadString | null } {
  // Found once for all the strings before it, else each string would search the rest of the text.
  let backslash = -1

  return {
    read(start) {
      if (backslash < start) {
        const found = text.indexOf('\\', start)
        backslash = found === -1 ? text.length : found
      }
      const quote = text.indexOf('"', start + 1)
      if (quote === -1) return null
      if (backslash > quote)
        return { value: text.slice(start + 1, quote), end: quote, escaped: false }
      const end = unescapedQuote(text, start + 1, quote)
      if (end === -1) return null
      try {
        return { value: JSON.parse(text.slice(start, end + 1)), end, escaped: true }
      } catch {
        return null
      }
    },
  }
}

/** The first quote from `quote` on that an even number of backslashes precedes; -1 where there is none. */
function unescapedQuote(text: string, from: number, quote: number): number {
  for (let at = quote; at !== -1; at = text.indexOf('"', at + 1)) {
    let before = at
    while (before > from && text[before - 1] === '\\') before--
    if ((at - before) % 2 === 0) return at
  }
  return -1
}
