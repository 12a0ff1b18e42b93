import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { checkLine, checkName, checkText } from '../../kernel/ledger/check-text.ts'
import { byKind, listOf } from '../../kernel/members.ts'
import { anyText, flag, line, name, number, oneOf, type Shape, text } from '../../kernel/shape.ts'
import { either } from '../../kernel/wrap.ts'

const drawn = fc.array(fc.constantFrom(' ', '\t', '\n', '\u0085', '\u00a0', '\ufeff', 'x', '😀'), {
  minLength: 1,
  maxLength: 6,
})

/** That the pattern of a shape's schema holds for just the texts that the shape takes. */
function agrees(shape: Shape<string>, form: string): void {
  const pattern = new RegExp(form, 'u')
  const property = fc.property(drawn, (parts) => {
    const given = parts.join('')
    assert.equal(pattern.test(given), shape.faults(given, '').length === 0, JSON.stringify(given))
  })
  fc.assert(property, { numRuns: 500, seed: 1 })
}

describe('the schema of a name or a line', () => {
  it('says which characters are taken', () => {
    for (const shape of [name(20), line(20)]) agrees(shape, String(shape.json.input.pattern))
  })

  it('is told from one that says less', () => {
    assert.throws(() => agrees(name(20), String(line(20).json.input.pattern)))
  })
})

describe('the length of a text', () => {
  it('is in code points, as JSON Schema counts it, whichever rule checks it', () => {
    const shapes = [text(2), line(2), name(2), anyText(2)].map(
      ({ faults }) =>
        (given: string) =>
          faults(given, '/at'),
    )
    const rules = [checkText, checkLine, checkName].map(
      (check) => (given: string) => check(given, '/at', 2),
    )
    for (const faultsOf of [...shapes, ...rules]) {
      assert.deepEqual(faultsOf('😀😀'), [])
      assert.equal(faultsOf('😀😀x')[0]?.detail, 'expected 1 to 2 characters, got 3')
    }
  })
})

describe('the fault of a value that is no text', () => {
  it('names its kind alone, since a password may be all digits', () => {
    for (const shape of [text(9), line(9), name(9), anyText(9)])
      assert.equal(shape.faults(83_614_402, '')[0]?.detail, 'expected text, got a number')
    assert.equal(text(9).faults(true, '')[0]?.detail, 'expected text, got a boolean')
    assert.equal(text(9).faults(undefined, '')[0]?.detail, 'expected text, got none')
  })
})

describe('the fault of a value that is none of a list', () => {
  it('quotes a short text, and of a longer one, which may be a secret, tells the length', () => {
    const detailOf = (given: unknown) => oneOf(['yes', 'no']).faults(given, '')[0]?.detail
    assert.equal(detailOf('perhaps'), 'expected one of yes, no, got "perhaps"')
    assert.equal(detailOf('x'.repeat(17)), 'expected one of yes, no, got a text of 17 characters')
  })
})

describe('either of several shapes', () => {
  const scalar = either('a text, a number or a flag', text(3, 0), number, flag)
  const values = either('a scalar or a list', scalar, listOf(scalar, { most: 2 }))

  it('takes what one of them takes, as it is', () => {
    for (const given of ['', 'abc', 1.5, false, [], ['a', 1]]) {
      assert.deepEqual(values.faults(given, '/value'), [])
      assert.deepEqual(values.take(given), given)
    }
  })

  it('has one fault for what none of them takes', () => {
    for (const given of ['abcd', null, {}, [null], [1, 2, 3], Number.NaN])
      assert.deepEqual(values.faults(given, '/value'), [
        {
          code: 'invalid_value',
          detail: 'expected a scalar or a list',
          pointer: '/value',
          parameter: null,
        },
      ])
  })
})

describe('objects of several kinds', () => {
  it('tell a kind that is missing from one that is unknown', () => {
    const shape = byKind('kind', { text: { most: number }, flag: {} })
    const codeOf = (given: object) => shape.faults(given, '/of')[0]
    assert.equal(codeOf({})?.code, 'required')
    assert.equal(codeOf({ kind: 'other' })?.code, 'invalid_value')
    assert.equal(codeOf({ kind: 'other' })?.pointer, '/of/kind')
    assert.deepEqual(shape.faults({ kind: 'flag' }, '/of'), [])
  })
})
