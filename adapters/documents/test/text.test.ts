import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { visualLines } from '../pdf/bidi.ts'
import { familyFor, widthOf } from '../pdf/fonts.ts'
import { linesOf, runsOf, withoutHidden } from '../pdf/runs.ts'
import { withoutLongWords } from '../pdf/text.ts'

type Setter = typeof runsOf

const characters = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({
    unit: fc.constantFrom(...'aéЖש(م١1世ก,. 😀🤖\u202e\u200b\u0007\ud800\u0301'),
    maxLength: 40,
  }),
)

/** Every character is there in a font that has it, or by its number. */
function nothingIsLost(set: Setter) {
  fc.assert(
    fc.property(characters, (text) => {
      for (const line of linesOf(text)) {
        const shown = set(line)
          .map((run) => run.text)
          .join('')
        let at = 0
        for (const character of line) {
          const named = `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
          if (shown.startsWith(character, at)) at += character.length
          else if (shown.startsWith(named, at)) at += named.length
          else return false
        }
        if (at !== shown.length) return false
      }
      return true
    }),
    { numRuns: 200 },
  )
}

function nothingIsHidden(set: Setter) {
  fc.assert(
    fc.property(characters, (text) =>
      linesOf(text).every((line) =>
        set(line).every(
          (run) => !/[\p{Cc}\p{Cs}\p{Cn}\u200b\u202a-\u202e\u2066-\u2069]/u.test(run.text),
        ),
      ),
    ),
  )
}

describe('text of any script', () => {
  it('keeps every character, and hides none', () => {
    nothingIsLost(runsOf)
    nothingIsHidden(runsOf)
  })

  it('is proven by tests that broken setters fail', () => {
    const drops: Setter = (line) => runsOf(line).filter(({ hidden }) => !hidden)
    const hides: Setter = (line) => [{ text: line, family: 'Text', hidden: false }]
    assert.throws(() => nothingIsLost(drops))
    assert.throws(() => nothingIsHidden(hides))
  })

  it('has glyphs for the scripts that it promises', () => {
    const promised =
      'Ærøskøbing Ζεὺς Ђорђе שלום مرحبا 你好 日本語 カタカナ 한국어 สวัสดี नमस्ते Հայ ქარ ✓→'
    for (const { text, hidden } of runsOf(promised)) assert.ok(!hidden, text)
    assert.equal(familyFor('A'.codePointAt(0) ?? 0, 'Text'), 'Text')
    assert.equal(familyFor('ש'.codePointAt(0) ?? 0, 'Text'), 'Wide')
    assert.equal(familyFor('世'.codePointAt(0) ?? 0, 'Text'), 'Last')
    assert.deepEqual(
      runsOf('🤖').map(({ text }) => text),
      ['\\u{1f916}'],
    )
  })

  it('puts right-to-left lines in reading order', () => {
    const seen = (line: string) =>
      visualLines(line, 1_000, (text) => text.length).map(
        ({ base, pieces }) => `${base}: ${pieces.map(({ text }) => text).join('|')}`,
      )
    assert.deepEqual(seen('abc שלום עולם 12'), ['ltr: abc| |12| |עולם| |שלום'])
    assert.deepEqual(seen('שלום abc'), ['rtl: abc| |שלום'])
    assert.deepEqual(seen('(שלום)'), ['rtl: )שלום('])
    assert.deepEqual(seen('سجل ١٢٣'), ['rtl: ١٢٣| |سجل'])
  })

  it('loses nothing when it breaks right-to-left lines', () => {
    const text = fc.string({
      unit: fc.constantFrom(...'שלוםab1 2 (مر) ,'),
      minLength: 1,
      maxLength: 120,
    })
    const letters = (pieces: string) => [...pieces.replaceAll(/[ ()]/g, '')].sort().join('')
    fc.assert(
      fc.property(text, fc.integer({ min: 5, max: 40 }), (line, width) => {
        const lines = visualLines(line, width, (part) => part.length)
        const all = lines.map(({ pieces }) => pieces.map((piece) => piece.text).join(''))
        return (
          letters(all.join('')) === letters(line) &&
          all.every((one) => one.trimEnd().length <= width)
        )
      }),
    )
  })

  it('keeps directional marks from turning what is shown', () => {
    assert.equal(withoutHidden('ש\u202eabc'), 'ש\\u{202e}abc')
  })

  it('cuts words that no line can hold', () => {
    const measure = (text: string) => widthOf(text, 'Text', false, 9)
    const word = fc.string({ unit: fc.constantFrom(...'aWi.+/='), minLength: 1, maxLength: 150 })
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 3 }), (words) => {
        const line = words.join(' ')
        const lines = withoutLongWords(line, 120, 9, measure)
        return (
          lines.join('') === line &&
          lines.every((one) => one.split(' ').every((part) => measure(part) <= 120.01))
        )
      }),
      { numRuns: 15 },
    )
  })
})
