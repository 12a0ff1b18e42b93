import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { type Difference, differenceOf } from '../../app/case/differences.ts'
import {
  beginning,
  firstLines,
  type Outline,
  outlineOf,
  textLines,
} from '../../app/case/outline.ts'
import { isObject, partsOf } from '../../app/case/parts.ts'

const json = fc.jsonValue({ maxDepth: 4 })
const names = ['action', 'before', 'after', 'respond', 'title', 'summary', 'followUps', 'note']
const documents = fc.dictionary(
  fc.oneof(fc.constantFrom(...names, 'application', '__proto__', '7'), fc.string()),
  json,
)

describe('parts of a presentation', () => {
  it('puts the action first, then what changes, and the words of the application last', () => {
    const presentation = {
      title: 'Refund',
      summary: 'as agreed',
      amount: 1200,
      after: 2,
      respond: {},
      before: 1,
      followUps: [],
      action: 'pay',
    }
    assert.deepEqual(
      partsOf(presentation, false).map(({ kind, members }) => [
        kind,
        ...members.map(({ name }) => name),
      ]),
      [
        ['action', 'action'],
        ['change', 'before', 'after'],
        ['member', 'amount'],
        ['respond', 'respond'],
        ['answered', 'followUps'],
        ['words', 'title', 'summary'],
      ],
    )
  })

  it('reads the own document of an application from within that of a policy', () => {
    const presentation = {
      title: 'policy',
      rules: [],
      application: { action: 'pay', title: 'mine' },
    }
    const parts = partsOf(presentation, true)
    assert.deepEqual(
      parts.flatMap(({ members }) => members.map(({ path }) => path.join('.'))),
      ['application.action', 'title', 'rules', 'application.title'],
    )
    assert.equal(partsOf(presentation, false)[0]?.kind, 'member')
  })

  it('holds each member of the document once, whatever the document is', () => {
    fc.assert(
      fc.property(fc.oneof(documents, json), fc.boolean(), (presentation, adopted) => {
        const parts = partsOf(presentation, adopted)
        assert.equal(new Set(parts.map(({ id }) => id)).size, parts.length)
        const told = parts.flatMap(({ members }) => members)
        const paths = told.map(({ path }) => JSON.stringify(path))
        assert.equal(new Set(paths).size, paths.length)
        for (const { path, value } of told) {
          let found: unknown = presentation
          for (const name of path) found = Reflect.get(Object(found), name)
          assert.equal(found, value)
        }
        if (!isObject(presentation)) assert.equal(told.length, 1)
        else if (adopted && isObject(presentation.application))
          assert.equal(
            told.length,
            Object.keys(presentation).length - 1 + Object.keys(presentation.application).length,
          )
        else assert.equal(told.length, Object.keys(presentation).length)
      }),
    )
  })
})

describe('the outline of a value', () => {
  it('counts the lines of texts, also of those without ends of lines', () => {
    assert.equal(textLines(''), 1)
    assert.equal(textLines('a\n\nb'), 3)
    assert.equal(textLines('x'.repeat(161)), 3)
    assert.equal(outlineOf({ a: 1, b: { c: 'x\ny' } }).lines, 4)
  })

  it('draws whole what fits, and never more lines than asked for', () => {
    fc.assert(
      fc.property(json, fc.integer({ min: 1, max: 60 }), (value, most) => {
        const whole = outlineOf(value)
        const first = firstLines(whole, most)
        if (whole.lines <= most) assert.equal(first, whole)
        assert.ok(drawn(first) <= Math.max(most, 1))
      }),
    )
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(20), (text, most) => {
        const cut = beginning(text, most)
        assert.ok(text.startsWith(cut))
        assert.ok(cut === '' || textLines(cut) <= most)
        if (textLines(text) <= most) assert.equal(cut, text)
      }),
    )
  })
})

describe('differences', () => {
  it('compares members by name and items by their longest common subsequence', () => {
    assert.deepEqual(differenceOf({ a: 1, b: [1, 2, 3], c: 0 }, { b: [1, 3, 4], a: 1, d: 0 }), {
      kind: 'inside',
      name: null,
      of: 'object',
      reordered: false,
      members: [
        { kind: 'same', name: 'a', value: 1 },
        {
          kind: 'inside',
          name: 'b',
          of: 'list',
          reordered: false,
          members: [
            { kind: 'same', name: 0, value: 1 },
            { kind: 'removed', name: 1, value: 2 },
            { kind: 'same', name: 1, value: 3 },
            { kind: 'added', name: 2, value: 4 },
          ],
        },
        { kind: 'removed', name: 'c', value: 0 },
        { kind: 'added', name: 'd', value: 0 },
      ],
    })
  })

  it('tells that only the order changed', () => {
    const difference = differenceOf([1, 2, 3], [3, 1, 2])
    assert.ok(difference.kind === 'inside' && difference.reordered)
    assert.equal(differenceOf({ a: 1, b: 2 }, { b: 2, a: 1 }).kind, 'same')
  })

  it('holds both sides whole', () => {
    const item = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.record({ a: fc.nat(2), b: fc.nat(1) }))
    const value = fc.oneof(
      json,
      fc.array(item),
      fc.dictionary(fc.constantFrom('a', 'b', 'c'), json),
    )
    fc.assert(
      fc.property(value, value, (before, after) => {
        const difference = differenceOf(before, after)
        assert.deepEqual(sorted(sideOf(difference, 'before')), sorted(before))
        assert.deepEqual(sorted(sideOf(difference, 'after')), sorted(after))
      }),
      { numRuns: 500 },
    )
  })

  it('compares long lists in bounded time', () => {
    const long = (from: number) => Array.from({ length: 50_000 }, (_, place) => from + place * 2)
    const difference = differenceOf(long(0), long(1))
    assert.ok(difference.kind === 'inside')
    assert.equal(difference.members.length, 100_000)
  })
})

function drawn({ name, members, value, lines }: Outline): number {
  if (members === null) return typeof value === 'string' ? textLines(value) : lines
  const own = name === null ? 0 : 1
  return members.reduce((sum, member) => sum + drawn(member), own)
}

/** One of two values, as their difference tells it. */
function sideOf(difference: Difference, side: 'before' | 'after'): unknown {
  switch (difference.kind) {
    case 'changed':
      return difference[side]
    case 'inside': {
      const left = side === 'before' ? 'added' : 'removed'
      const own = difference.members.filter(({ kind }) => kind !== left)
      if (difference.of === 'list') return own.map((member) => sideOf(member, side))
      return Object.fromEntries(own.map((member) => [String(member.name), sideOf(member, side)]))
    }
    default:
      return difference.value
  }
}

function sorted(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_, member: unknown) =>
      typeof member === 'object' && member !== null && !Array.isArray(member)
        ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
        : member,
    ),
  )
}
