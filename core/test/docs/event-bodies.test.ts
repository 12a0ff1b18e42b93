import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  catalogue,
  type EventKind,
  type EventMembers,
  type EventShape,
  type EventType,
  envelopes,
  isList,
  type Kind,
  membersOf,
  sentOutcomeMembers,
} from '@countersign/core/events'
import { tableUnder } from './interface.ts'

const words: Readonly<Record<Kind, string>> = {
  text: 'string',
  time: 'time',
  number: 'number',
  count: 'integer',
  reason: '[reason category](#reason-categories)',
  texts: 'array of strings',
  numbers: 'object of numbers',
  object: 'object',
  json: 'any JSON',
}

/** Member, form: as the document writes them, the members of an object below it. */
type Line = readonly [member: string, form: string]

function linesOf(members: EventMembers, path = ''): readonly Line[] {
  return membersOf(members).flatMap(([name, shape, nullable]) => {
    const own: Line = [`${path}${name}`, formOf(shape) + (nullable ? ' or null' : '')]
    const inner = typeof shape === 'string' || isList(shape) ? [] : linesOf(shape, `${own[0]}.`)
    return [own, ...inner]
  })
}

function formOf(shape: EventShape): string {
  if (typeof shape === 'string') return words[shape]
  if (!isList(shape)) return 'object'
  const values = shape.filter((value) => value !== null).map((value) => `\`${value}\``)
  return values.join(', ') + (shape.includes(null) ? ' or null' : '')
}

const rows = Object.entries(catalogue) as readonly (readonly [EventType, EventKind])[]

/** Members that are null but in the type that settles them, by what they are there. */
function settled(): EventMembers {
  const own = rows
    .filter(([, { envelope }]) => envelope === 'subscription')
    .flatMap(([, { members = {} }]) => Object.entries(members))
  const nullable = own.map(([name, shape]) => [
    isList(shape) ? name : `${name}?`,
    isList(shape) ? [...shape, null] : shape,
  ])
  const fixed = Object.entries(envelopes.subscription).filter(
    ([, shape]) => !isList(shape) || shape[0] !== null,
  )
  return Object.fromEntries([...fixed, ...nullable])
}

const written = (heading: string): readonly Line[] =>
  tableUnder(heading).map(({ Member = '', Type = '' }) => [Member, Type])

describe('the bodies in core/docs/interface.md', () => {
  const tables: readonly (readonly [string, EventMembers])[] = [
    ['Review event', envelopes.review],
    ['Subscription event', settled()],
    ['Legacy event', envelopes.legacy],
    ['Platform event', envelopes.platform],
    ['Outcome body', sentOutcomeMembers],
  ]
  for (const [heading, members] of tables)
    it(`are those of the catalogue: ${heading}`, () => {
      assert.deepEqual(written(heading), linesOf(members))
    })

  it('name for each subscription event the members that have a value', () => {
    const meanings = tableUnder('Subscription event')
    for (const [type, { envelope, members = {} }] of rows) {
      if (envelope !== 'subscription') continue
      const named = meanings.filter(({ Meaning }) => Meaning?.startsWith(`\`${type}\`:`))
      assert.deepEqual(
        named.map(({ Member }) => Member),
        Object.keys(members),
      )
    }
  })

  it('have the data of each type', () => {
    const lines = tableUnder('Event data').flatMap(({ Type = '', Member = '', Form = '' }) =>
      Type.split(', ').map((type) => [type, Member, Form] as const),
    )
    for (const [type, { members }] of rows) {
      const data = members?.data
      const expected = data === undefined ? [] : linesOf(data as EventMembers)
      const found = lines.filter(([of]) => of === type).map(([, member, form]) => [member, form])
      assert.deepEqual(found, expected, type)
    }
    for (const [type] of lines) assert.ok(Object.hasOwn(catalogue, type), type)
  })
})
