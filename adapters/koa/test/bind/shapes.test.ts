import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  faultsOf,
  faultsOfPart,
  inputOf,
  type Members,
  part,
  schemaOf,
  textInputOf,
} from '@countersign/core/kernel'
import { createAlertRule, listAlertRules } from '@countersign/core/operations'
import fc from 'fast-check'
import { bodyOf, queryOf } from '../../input.ts'
import { newValidator } from '../shipped.ts'

const near = fc.oneof(
  fc.constantFrom('', ' ', 'a', 'a\u0000b', 'a\nb', 'x'.repeat(200), 'x'.repeat(201)),
  fc.constantFrom('cases', 'reviews.open', 'gt', 'critical', 'ok', 'true'),
  fc.constantFrom(-1, 0, 0.5, 1, 59, 60, 86_400, 86_401, 2 ** 53, Number.NaN),
  fc.constantFrom(true, false, null, undefined, [], {}),
)

/** Objects with some of these members, and perhaps one that is none. */
function inputsOf(members: Members): fc.Arbitrary<Record<string, unknown>> {
  const values = Object.fromEntries(Object.keys(members).map((name) => [name, near]))
  return fc.record({ ...values, other: near }, { requiredKeys: [] }).map((input) => {
    const { other, ...rest } = input as Record<string, unknown>
    return other === true ? input : rest
  }) as fc.Arbitrary<Record<string, unknown>>
}

/** What JSON can't say of texts: white space alone and NUL. */
const isPlain = (value: unknown) =>
  typeof value !== 'string' ||
  (value.trim() !== '' && !value.includes('\u0000') && !/\n/.test(value))

describe('the shape of an input', () => {
  const { takes } = createAlertRule

  it('finds a fault where its JSON Schema finds one, and nowhere else', () => {
    const schema = newValidator().compile(schemaOf(takes, 'input'))
    fc.assert(
      fc.property(inputsOf(takes), (input) => {
        fc.pre(Object.values(input).every(isPlain))
        const sent = JSON.parse(JSON.stringify(input)) as Record<string, unknown>
        const faults = faultsOf(takes, inputOf(takes, sent))
        assert.equal(faults.length === 0, schema(sent), JSON.stringify(faults))
      }),
    )
  })

  it('names each member at fault by its pointer, and expects what came to be another', () => {
    fc.assert(
      fc.property(inputsOf(takes), (input) => {
        for (const { pointer, detail } of faultsOf(takes, input)) {
          const name = pointer?.slice(1) ?? ''
          assert.ok(Object.hasOwn(takes, name) || Object.hasOwn(input, name), `${pointer}`)
          assert.match(detail, /expected/)
        }
      }),
    )
  })

  it('reads numbers of a query from canonical digits alone', () => {
    const read = (pageSize: string) =>
      faultsOf(listAlertRules.takes, textInputOf(listAlertRules.takes, { pageSize })).length === 0
    assert.deepEqual(['1', '100', '101', '0', '01', '1e1', ' 1', '', '-1', '+1'].filter(read), [
      '1',
      '100',
    ])
  })
})

describe('what is read of a request', () => {
  const faultsIn = (read: ReturnType<ReturnType<typeof bodyOf>['read']>) =>
    read.ok
      ? []
      : read.refusal.errors?.map(({ code, pointer, parameter }) => [code, pointer, parameter])

  it('has the faults of the shapes: in a body by pointer, in a query by the name of the parameter', () => {
    const given = { metricName: 'x', 'sur/prise': 1 }
    const { metricName, name } = createAlertRule.takes
    assert.deepEqual(faultsIn(bodyOf({ metricName, name }).read(given)), [
      ['invalid_value', '/metricName', null],
      ['required', '/name', null],
      ['unknown_member', '/sur~1prise', null],
    ])
    assert.deepEqual(faultsIn(queryOf(part).read({ page: ['1', '2'], 'sur/prise': '' })), [
      ['invalid_value', null, 'page'],
      ['unknown_member', null, 'sur/prise'],
    ])
  })

  it('is one part of a list, told at the cursor', () => {
    const { read } = queryOf(part, faultsOfPart)
    assert.deepEqual(faultsIn(read({ page: '1', limit: '5' })), [['invalid_value', null, 'after']])
    assert.deepEqual(read({ after: 'a', limit: '5' }), {
      ok: true,
      value: { after: 'a', limit: 5 },
    })
  })
})
