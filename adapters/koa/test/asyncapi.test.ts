import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  catalogue,
  type EventMembers,
  type EventShape,
  type EventType,
  envelopes,
  faultOfSent,
  isList,
  membersOf,
  outcomeType,
  reasonGroups,
  sentOutcomeMembers,
  shapeOf,
} from '@countersign/core/events'
import fc from 'fast-check'
import { eventCheck, type Part, shippedText } from './shipped.ts'

const document = JSON.parse(shippedText('asyncapi.json')) as Part
const check = eventCheck()
const types = Object.keys(catalogue) as EventType[]

function bodyOf(type: string): fc.Arbitrary<Record<string, unknown>> {
  const shape: EventMembers =
    type === outcomeType ? sentOutcomeMembers : { ...shapeOf(type as EventType), type: [type] }
  return objectOf(shape)
}

function objectOf(members: EventMembers): fc.Arbitrary<Record<string, unknown>> {
  return fc.record(
    Object.fromEntries(
      membersOf(members).map(([name, shape, nullable]) => [
        name,
        nullable ? fc.option(valueIn(shape), { freq: 2 }) : valueIn(shape),
      ]),
    ),
  )
}

function valueIn(shape: EventShape): fc.Arbitrary<unknown> {
  if (isList(shape)) return fc.constantFrom(...shape)
  if (typeof shape === 'object') return objectOf(shape)
  switch (shape) {
    case 'text':
      return fc.string({ minLength: 1 })
    case 'time':
      return fc.date({ noInvalidDate: true, min, max }).map((date) => date.toISOString())
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true })
    case 'count':
      return fc.maxSafeNat()
    case 'reason':
      return fc.constantFrom(...Object.values(reasonGroups).flat())
    case 'texts':
      return fc.array(fc.string({ minLength: 1 }), { maxLength: 3 })
    case 'numbers':
      return fc.dictionary(fc.string(), fc.integer(), { maxKeys: 3 })
    case 'object':
      return fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 })
    case 'json':
      return fc.jsonValue({ maxDepth: 1 })
  }
}

const min = new Date('1970-01-01T00:00:00.000Z')
const max = new Date('9999-12-31T23:59:59.999Z')

const nasty: readonly unknown[] = [
  ...[
    null,
    true,
    '',
    ' ',
    'x',
    0,
    -1,
    1.5,
    2 ** 53,
    [],
    [''],
    ['x'],
    [1],
    {},
    { a: 'x' },
    { a: 1 },
  ],
  ...['2026-03-01T09:00:00Z', '2026-03-01T09:00:00.000+01:00', '2026-13-01T09:00:00.000Z', 'other'],
]

/** One member, at whatever depth, with another value, left out, or a new one. */
const changed = (body: Record<string, unknown>): fc.Arbitrary<Record<string, unknown>> =>
  fc
    .tuple(
      fc.constantFrom(...Object.keys(body), 'more'),
      fc.constantFrom(...nasty, undefined),
      fc.boolean(),
    )
    .chain(([name, value, within]) => {
      const inner = body[name]
      if (within && typeof inner === 'object' && inner !== null && !Array.isArray(inner))
        return changed(inner as Record<string, unknown>).map((next) => ({ ...body, [name]: next }))
      const { [name]: _, ...rest } = body
      return fc.constant(value === undefined ? rest : { ...rest, [name]: value })
    })

describe('asyncapi.json', () => {
  test('has version 1.0.0 of the catalogue, a channel an envelope and one for the outcome', () => {
    const { asyncapi, info, channels, operations } = document as {
      readonly asyncapi: string
      readonly info: Part
      readonly channels: Readonly<Record<string, Part>>
      readonly operations: Readonly<Record<string, Part>>
    }
    assert.deepEqual([asyncapi, info.version], ['3.0.0', '1.0.0'])
    const sending = Object.values(operations)
    assert.equal(sending.length, Object.keys(envelopes).length + 1)
    for (const operation of sending) {
      assert.equal(operation.action, 'send')
      assert.deepEqual(operation.bindings, { http: { method: 'POST', bindingVersion: '0.3.0' } })
    }
    const { answers: _, ...sent } = channels
    const messages = Object.values(sent).flatMap((channel) => Object.keys(channel.messages as Part))
    assert.deepEqual(messages.toSorted(), [...types, outcomeType].toSorted())
    for (const channel of Object.values(channels)) assert.equal(channel.address, null)
  })

  test('describes each member of a body', () => {
    const without: string[] = []
    for (const type of [...types, outcomeType])
      for (const [name, { description }] of Object.entries(check.membersOf(type)))
        if (description === undefined) without.push(`${type} ${name}`)
    const plain = /schemaVersion|outcome type|reviewTier|application$|data$/
    assert.deepEqual(
      without.filter((each) => !plain.test(each)),
      [],
    )
  })

  for (const type of [...types, outcomeType])
    test(`takes of ${type} what the service may send, and nothing else`, () => {
      const arbitrary = bodyOf(type).chain((body) =>
        fc.oneof(fc.constant(body), changed(body), changed(body).chain(changed)),
      )
      fc.assert(
        fc.property(arbitrary, (body) => {
          const sent = { ...body, type }
          assert.equal(
            check.fault(type, sent) === null,
            faultOfSent(sent) === null,
            JSON.stringify(sent),
          )
        }),
        { numRuns: 60 },
      )
    })

  test('a member of another form is found', () => {
    const [event] = fc.sample(bodyOf('review.case.decided'), { numRuns: 1, seed: 1 })
    assert.ok(event)
    assert.equal(check.fault('review.case.decided', event), null)
    for (const broken of [
      { ...event, decision: 'expired' },
      { ...event, decision: null },
      { ...event, schemaVersion: 2 },
      { ...event, caseVersion: '1' },
      { ...event, reasonCategory: 'unknown' },
      { ...event, time: '2026-03-01T09:00:00Z' },
      { ...event, comment: 'private' },
    ])
      assert.notEqual(check.fault('review.case.decided', broken), null)
  })
})
