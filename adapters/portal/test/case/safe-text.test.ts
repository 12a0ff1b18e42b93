import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { isLookalike, piecesOf, plainLine, runsOf, warningsOf } from '../../app/case/safe-text.ts'

const unseen = /(?![ \t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Zs}\p{Default_Ignorable_Code_Point}]/u

describe('texts of strangers', () => {
  it('names each character that can not be seen', () => {
    assert.deepEqual(piecesOf('urgent\u202Etxt'), [
      { kind: 'plain', text: 'urgent' },
      { kind: 'hidden', text: '⟦U+202E⟧' },
      { kind: 'plain', text: 'txt' },
    ])
    const each = ['\u0000', '\u001b', '\u00a0', '\u00ad', '\u200b', '\u2066', '\u2028', '\u3164']
    for (const character of [...each, '\ud800', '\ufeff', '\u{e0041}', '\u2800', '\r'])
      assert.equal(piecesOf(`a${character}b`)[1]?.kind, 'hidden', JSON.stringify(character))
  })

  it('names marks that pile up, and leaves those of languages', () => {
    assert.deepEqual(piecesOf(`a${'\u0338'.repeat(50)}b`), [
      { kind: 'plain', text: 'a\u0338\u0338\u0338' },
      { kind: 'hidden', text: '⟦U+0338 ×47⟧' },
      { kind: 'plain', text: 'b' },
    ])
    for (const text of ['Việt', 'e\u0323\u0302', 'क्षि', 'שָׁלוֹם'])
      assert.ok(!warningsOf(text).hidden, text)
  })

  it('tells a run of one character once, with its length', () => {
    assert.equal(piecesOf('\u200b'.repeat(1_000))[0]?.text, '⟦U+200B ×1000⟧')
  })

  it('flags words that read as what they are not', () => {
    const flagged = ['p\u0430ypal', 'ΑΒΕ', '\u0441\u043e\u0440\u0435', '𝐩𝐚𝐲', '\uff30ay', 'Ωmega']
    for (const word of flagged) assert.ok(isLookalike(word), word)
    for (const word of ['paypal', 'Zoë', 'привет', 'Ελλάδα', '東京タワー', 'Tシャツ', 'ﷲ', 'naïve'])
      assert.ok(!isLookalike(word), word)
    assert.deepEqual(warningsOf('to p\u0430ypal'), { hidden: false, lookalike: true })
  })

  it('loses no character that can be seen, and draws none that can not', () => {
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({
        unit: fc.constantFrom(
          'a',
          'п',
          '\u202e',
          '\u200b',
          '\u3164',
          '\ufe0f',
          ' ',
          '\n',
          '𝐩',
          '\ud800',
        ),
      }),
    )
    fc.assert(
      fc.property(texts, (text) => {
        const pieces = piecesOf(text)
        for (const piece of pieces) assert.doesNotMatch(piece.text, unseen)
        const back = pieces
          .map((piece) => (piece.kind === 'hidden' ? unnamed(piece.text) : piece.text))
          .join('')
        assert.equal(back, text)
        assert.equal(
          pieces.some(({ kind }) => kind === 'hidden'),
          warningsOf(text).hidden,
        )
      }),
      { numRuns: 500 },
    )
  })

  it('keeps a long hostile text to one piece, with every hidden character named', () => {
    const pieces = piecesOf('a\u200b'.repeat(100_000))
    assert.equal(pieces.length, 1)
    assert.equal(pieces[0]?.text.length, 100_000 * (1 + '⟦U+200B⟧'.length))
  })

  it('loses nothing when it cuts a long text into runs', () => {
    const unit = fc.constantFrom('word ', 'x'.repeat(5_000), '\n', '\u202e', 'п', '𝐩')
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 40 }), (text) => {
        const pieces = piecesOf(text)
        const textOf = (all: readonly { readonly text: string }[]) =>
          all.map((piece) => piece.text).join('')
        const runs = runsOf(pieces)
        assert.equal(textOf(runs.flat()), textOf(pieces))
        for (const run of runs) {
          assert.ok(run.length > 0)
          assert.doesNotMatch(textOf(run), /^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/)
        }
        assert.ok(runs.length <= 1 + textOf(pieces).length / 1_000)
      }),
    )
  })

  it('puts a text into one line', () => {
    assert.equal(plainLine('a\n b\u202e'), 'a b⟦U+202E⟧')
    assert.equal(plainLine('x'.repeat(300)).length, 200)
  })
})

/** The characters that a hidden piece names. */
function unnamed(text: string): string {
  return [...text.matchAll(/U\+([0-9A-F]+)(?: ×(\d+))?/g)]
    .map(([, code = '', count = '1']) =>
      String.fromCodePoint(Number.parseInt(code, 16)).repeat(Number(count)),
    )
    .join('')
}
