import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { atOnce, createSlices, sliceSize } from '../../base/json/in-slices.ts'
import {
  compileContains,
  compileGlob,
  matchesGlob,
  matchesGlobInSlices,
} from '../../policies/glob.ts'

type Matches = (pattern: string, text: string) => boolean

const matches: Matches = (pattern, text) => matchesGlob(compileGlob(pattern), text)

/** The definition itself, by recursion over both; exponential, so for short inputs. */
function defined(pattern: readonly string[], text: readonly string[]): boolean {
  const [head, ...rest] = pattern
  if (head === undefined) return text.length === 0
  if (head === '*')
    return defined(rest, text) || (text.length > 0 && defined(pattern, text.slice(1)))
  const [literal, behind] =
    head === '\\' && rest.length > 0 ? [rest[0], rest.slice(1)] : [head, rest]
  if (text.length === 0) return false
  const passes = head === '?' || literal === text[0]
  return passes && defined(behind, text.slice(1))
}

/** Few characters, so that patterns often match. */
const char = fc.constantFrom('a', 'b', '😀', '*', '?', '\\')
const pattern = fc.array(char, { maxLength: 7 })
const text = fc.array(fc.constantFrom('a', 'a', 'b', '😀', '*', '?', '\\'), { maxLength: 8 })

function agreesWithDefinition(candidate: Matches): void {
  fc.assert(
    fc.property(pattern, text, (given, chars) => {
      assert.equal(candidate(given.join(''), chars.join('')), defined(given, chars))
    }),
    { numRuns: 3_000 },
  )
}

describe('globs', () => {
  it('match as their definition says', () => agreesWithDefinition(matches))

  it('are told from ones that match differently', () => {
    const mutants: Readonly<Record<string, Matches>> = {
      'a star needs a character': (given, chars) => matches(given.replace(/\*/g, '*?'), chars),
      'a part is enough': (given, chars) => matches(`${given}*`, chars),
      'a question mark passes UTF-16 units': (given, chars) =>
        matchesGlob(compileGlob(given), chars.split('')),
      'case is folded': (given, chars) => matches(given, chars.toUpperCase()),
      'escapes are ignored': (given, chars) => matches(given.replace(/\\/g, ''), chars),
    }
    for (const [name, mutant] of Object.entries(mutants))
      assert.throws(() => agreesWithDefinition(mutant), name)
  })

  it('match patterns that are longer than a word', () => {
    fc.assert(
      fc.property(fc.nat(200), fc.nat(200), (before, after) => {
        const literal = 'ab'.repeat(before) + 'c'.repeat(after)
        const given = `${'ab'.repeat(before)}*${'c'.repeat(after)}`
        assert.ok(matches(given, literal))
        assert.ok(matches(given, `${'ab'.repeat(before)}x${'c'.repeat(after)}`))
        assert.equal(matches(`${given}d`, literal), false)
      }),
    )
  })

  it('match long texts alike with pauses, whole characters at a time', () => {
    for (const before of [0, 1, 2]) {
      const text = `${'a'.repeat(before)}${'😀'.repeat(sliceSize)}b`
      for (const given of [
        `${'?'.repeat(before)}*b`,
        '*😀b',
        `*${'?'.repeat(40)}b`,
        '*c*',
        '*?c',
      ]) {
        const glob = compileGlob(given)
        assert.equal(
          atOnce(matchesGlobInSlices(glob, text, createSlices())),
          matchesGlob(glob, text),
          given,
        )
        const pauses = [...matchesGlobInSlices(glob, text, createSlices())].length
        assert.equal(pauses, Math.ceil(text.length / (sliceSize / glob.loops.length)) - 1)
      }
      const exact = compileGlob(`${'a'.repeat(before)}${'?'.repeat(9)}`)
      assert.equal(atOnce(matchesGlobInSlices(exact, text, createSlices())), false)
    }
  })

  it('look at each character of a hostile text once', () => {
    const length = 100_000
    for (const given of ['*a'.repeat(100), '*?'.repeat(100), `${'a*'.repeat(99)}b`]) {
      let looks = 0
      const chars = {
        *[Symbol.iterator]() {
          for (; looks < length; looks++) yield 'a'
        },
      }
      matchesGlob(compileGlob(given), chars)
      assert.equal(looks, length)
      assert.ok(compileGlob(given).loops.length <= 7, 'words of work for each character')
    }
  })

  it('find literal text anywhere', () => {
    fc.assert(
      fc.property(text, text, (needle, chars) => {
        const found = matchesGlob(compileContains(needle.join('')), chars.join(''))
        assert.equal(found, chars.join('').includes(needle.join('')))
      }),
      { numRuns: 1_000 },
    )
  })
})
