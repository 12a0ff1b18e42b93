import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { asWritten } from '../written-json.ts'

describe('asWritten', () => {
  /** A text of the same JSON: other escapes, space, and notations of numbers. */
  function rewrittenText(value: unknown, nth: () => number): string {
    const pick = (...choices: readonly string[]) => choices[nth() % choices.length] ?? ''
    const space = () => pick('', ' ', '\n\t')
    if (typeof value === 'string')
      return `"${Array.from({ length: value.length }, (_, at) => {
        const escaped = `\\u${value.charCodeAt(at).toString(16).padStart(4, '0')}`
        const plain = JSON.stringify(value.charAt(at)).slice(1, -1)
        return pick(plain, escaped, escaped.toUpperCase().replace('U', 'u'))
      }).join('')}"`
    if (typeof value === 'number')
      return Number.isInteger(value) && Math.abs(value) < 1e15
        ? pick(`${value}`, `${value}.0`, `${value}e0`, value === 0 ? '0E7' : `${value}0E-1`)
        : JSON.stringify(value)
    if (Array.isArray(value))
      return `[${space()}${value.map((each) => rewrittenText(each, nth)).join(`${space()},`)}]`
    if (typeof value === 'object' && value !== null) {
      const members = Object.entries(value).map(
        ([each, member]) =>
          `${space()}${rewrittenText(each, nth)}${space()}:${rewrittenText(member, nth)}`,
      )
      return `{${(nth() % 2 ? members : members.reverse()).join(',')}}`
    }
    return JSON.stringify(value)
  }

  it('reads the same JSON in whatever way it is written', () => {
    const json = fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' })
    const random = fc.infiniteStream(fc.nat(1_000))
    fc.assert(
      fc.property(json, random, (value, numbers) => {
        const text = rewrittenText(value, () => numbers.next().value)
        const read = JSON.parse(text)
        assert.deepEqual(asWritten(text), read, text)
      }),
    )
  })

  it('leaves a text with a name that comes twice as it is', () => {
    const nested = fc.object({ key: fc.constantFrom('a', 'b'), maxDepth: 3, values: [fc.nat()] })
    fc.assert(
      fc.property(nested, fc.constantFrom('a', '\\u0061'), (value, name) => {
        const inner = JSON.stringify({ ...value, a: 1 })
        const text = `{"x":[${inner.slice(0, -1)},"${name}":2}]}`
        assert.equal(asWritten(text), text)
      }),
    )
  })

  it('leaves a number that is none of a double as it is', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 2n ** 53n, max: 2n ** 200n }), (whole) => {
        const isDouble = BigInt(Number(whole)) === whole
        const text = `{"a":[1,${whole}]}`
        if (!isDouble) assert.equal(asWritten(text), text)
      }),
    )
  })

  it('reads texts of the most that a request takes, and of any depth', () => {
    const long = JSON.stringify({ to: 'A"\\'.repeat(1_000_000), amount: 5 })
    assert.equal(typeof asWritten(long), 'object')
    for (const text of ['a'.repeat(10_000_000), '\\"'.repeat(10_000_000)])
      assert.equal(typeof asWritten(`{"to":"${text}","amount":5}`), 'object')
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    assert.ok(asWritten(deep))
    const wide = JSON.stringify(Array.from({ length: 300_000 }, (_, at) => at))
    assert.equal(typeof asWritten(wide), 'object')
    const zeros = `{"a":1${'0'.repeat(300_000)}1}`
    assert.equal(asWritten(zeros), zeros)
  })
})
