import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { CanonicalizationError, canonicalize, digestOf, maxDepth } from '@countersign/core/internal'
import fc from 'fast-check'
import { canonicalPieces } from '../../../base/canonical/canonicalize.ts'

// Of RFC 8785's author (cyberphone/json-canonicalization, testdata).
const vectors = fileURLToPath(new URL('../../../../../../shared/vectors/jcs/', import.meta.url))

function nested(levels: number): unknown {
  let value: unknown = 1
  for (let level = 0; level < levels; level++) value = [value]
  return value
}

function shuffled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffled)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, shuffled(member)]),
  )
}

const json = fc.jsonValue({ stringUnit: 'binary', maxDepth: 6 })

describe('canonical JSON (RFC 8785)', () => {
  it('gives the published vectors byte for byte', {
    skip: existsSync(vectors) ? false : 'no vectors',
  }, () => {
    const names = readdirSync(`${vectors}input`)
    assert.ok(names.length >= 6)
    for (const name of names) {
      const input: unknown = JSON.parse(readFileSync(`${vectors}input/${name}`, 'utf8'))
      assert.equal(canonicalize(input), readFileSync(`${vectors}output/${name}`, 'utf8'), name)
    }
  })

  it('means the same as its input and depends on no order of members', () => {
    fc.assert(
      fc.property(json, (value) => {
        const text = canonicalize(value)
        assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(value)))
        assert.equal(canonicalize(shuffled(value)), text)
        assert.equal(digestOf(shuffled(value)), digestOf(value))
      }),
    )
  })

  it('is the same in pieces, each a member of the document or an item of a list in it', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), json), (document) => {
        const pieces = [...canonicalPieces(document)]
        assert.equal(pieces.join(''), canonicalize(document))
        const most = Math.max(
          0,
          ...Object.values(document)
            .flat()
            .map((part) => canonicalize(part).length),
        )
        const names = Math.max(0, ...Object.keys(document).map((name) => canonicalize(name).length))
        for (const piece of pieces) assert.ok(piece.length <= names + most + 3, piece)
      }),
    )
    const fault = (make: () => unknown) => {
      try {
        make()
      } catch (error) {
        return String(error)
      }
      return assert.fail('it has a canonical form')
    }
    for (const bad of [
      { a: [1, undefined] },
      { a: { b: [1n] } },
      { '\ud800': 1 },
      { a: nested(64) },
    ])
      assert.equal(
        fault(() => [...canonicalPieces(bad)]),
        fault(() => canonicalize(bad)),
      )
  })

  it('writes numbers as ECMAScript does (RFC 8785, appendix B)', () => {
    const numbers: readonly [number, string][] = [
      [-0, '0'],
      [5e-324, '5e-324'],
      [1.7976931348623157e308, '1.7976931348623157e+308'],
      [9007199254740992, '9007199254740992'],
      [295147905179352830000, '295147905179352830000'],
      [1e21, '1e+21'],
      [1e-7, '1e-7'],
      [0.000001, '0.000001'],
      [333333333.3333332, '333333333.3333332'],
    ]
    for (const [number, text] of numbers) assert.equal(canonicalize(number), text)
  })

  it('refuses what has no canonical form, and says where', () => {
    const refused: readonly [unknown, string][] = [
      [{ a: [1, Number.NaN] }, '/a/1'],
      [[Number.POSITIVE_INFINITY], '/0'],
      [{ 'x/y~z': '\ud800' }, '/x~1y~0z'],
      [{ '\udc00': 1 }, '/\udc00'],
      [{ a: undefined }, '/a'],
      [{ a: () => 1 }, '/a'],
      [[1n], '/0'],
      [new Array(1), '/0'],
      [{ at: new Date(0) }, '/at'],
      [new Map(), ''],
    ]
    for (const [value, pointer] of refused)
      assert.throws(
        () => canonicalize(value),
        (error) => error instanceof CanonicalizationError && error.pointer === pointer,
      )
  })

  it('takes 64 levels and no more', () => {
    assert.equal(canonicalize(nested(maxDepth)), `${'['.repeat(64)}1${']'.repeat(64)}`)
    assert.throws(() => canonicalize(nested(maxDepth + 1)), CanonicalizationError)
    assert.throws(() => canonicalize(nested(200_000)), CanonicalizationError)
  })

  it('keeps a member that is called __proto__ as data', () => {
    assert.equal(canonicalize(JSON.parse('{"__proto__":{"a":1}}')), '{"__proto__":{"a":1}}')
  })
})
