import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { object } from '../../kernel/members.ts'
import { list } from '../../kernel/operation.ts'
import { line, text, time } from '../../kernel/shape.ts'
import { described, optional } from '../../kernel/wrap.ts'

describe('a shape', () => {
  it('of text may be empty where it says so', () => {
    assert.equal(text(3, 0).faults('', '/note').length, 0)
    assert.deepEqual(text(3).faults('', '/note'), [
      {
        code: 'invalid_value',
        detail: 'expected 1 to 3 characters, got 0',
        pointer: '/note',
        parameter: null,
      },
    ])
    assert.deepEqual(text(3, 0).json.input, { type: 'string', maxLength: 3 })
  })

  it('says in the schema of what is sent what its description says', () => {
    const shape = described(optional(text(3)), 'Three letters.')
    assert.equal(shape.json.input.description, 'Three letters.')
    assert.equal(shape.json.answer.description, undefined)
    assert.equal(shape.optional, true)
  })
})

describe('a time', () => {
  it('is one that a clock tells', () => {
    assert.equal(time.fromJson('2028-02-29T23:59:59.5Z'), Date.UTC(2028, 1, 29, 23, 59, 59, 500))
    for (const text of ['2026-03-01T24:00:00Z', '2026-02-30T09:00:00Z', '2026-13-01T09:00:00Z'])
      assert.equal(time.faults(time.fromJson(text), '/from').length, 1, text)
  })
})

describe('a list', () => {
  it('repeats filters in a page, and not behind a cursor', () => {
    const { gives } = list({
      ...{ name: 'things.list', doc: 'List things', right: 'readWebhooks', refuses: [] },
      filter: { ownerId: line(10) },
      items: 'things',
      item: object({ thingId: line(10) }, 'Thing'),
      repeats: ['ownerId'],
      source: () => ({ part: async () => ({ rows: [], next: null, totalCount: 0 }) }),
    })
    const forms = gives.json.answer.anyOf as readonly { readonly required: readonly string[] }[]
    assert.deepEqual(
      forms.map(({ required }) => required.includes('ownerId')),
      [true, false],
    )
  })
})
