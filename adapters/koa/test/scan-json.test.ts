import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { deepest, isExactNumber, longestMemberName } from '@countersign/core/ledger'
import { createWebhook } from '@countersign/core/operations'
import fc from 'fast-check'
import { mostErrors } from '../errors.ts'
import { bodyOf } from '../input.ts'
import { pointerOf } from '../pointer.ts'
import { scanJson, valueLimit } from '../scan-json.ts'

const webhook = bodyOf(createWebhook.takes)

/** A JSON document as it is written: members may repeat. */
type Node =
  | { readonly literal: string; readonly unsafe?: boolean }
  | { readonly items: readonly Node[] }
  | { readonly members: readonly (readonly [string, Node])[] }

const names = fc.oneof(fc.constantFrom('a', 'b', '"', '\\', 'a/b', '~', 'é', ''), fc.string())
const literals: fc.Arbitrary<Node> = fc.oneof(
  fc.json({ maxDepth: 0 }).map((literal) => {
    const value: unknown = JSON.parse(literal)
    const unsafe = Number.isInteger(value) && !Number.isSafeInteger(value)
    return { literal, unsafe: unsafe || /\p{Cs}/u.test(String(value)) }
  }),
  fc.constantFrom(
    { literal: '9007199254740993', unsafe: true },
    { literal: '-1e400', unsafe: true },
    { literal: '9007199254740991' },
    { literal: '"\\ud800\\\\"', unsafe: true },
    { literal: '"\\ud83d\\ude00 [{,:}] \\\\"' },
  ),
)
const { node } = fc.letrec<{ node: Node }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    literals,
    fc.array(tie('node'), { maxLength: 4 }).map((items) => ({ items })),
    fc.array(fc.tuple(names, tie('node')), { maxLength: 5 }).map((members) => ({ members })),
  ),
}))

/** Writes a document with the spaces and escapes that `choice` asks for. */
function written(node: Node, choice: number): string {
  const space = ['', ' ', '\n\t', '\r\n'][choice % 4] ?? ''
  if ('literal' in node) return `${space}${node.literal}${space}`
  if ('items' in node)
    return `[${node.items.map((item) => written(item, choice + 1)).join(',') || space}]`
  const members = node.members.map(
    ([name, value], at) =>
      `${space}${quoted(name, choice + at)}${space}:${written(value, choice + at)}`,
  )
  return `{${members.join(',')}${space}}`
}

function quoted(name: string, choice: number): string {
  if (choice % 3 !== 0) return JSON.stringify(name)
  const units = Array.from({ length: name.length }, (_, at) => name.charCodeAt(at))
  return `"${units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')}"`
}

/** The pointer of the first fault in the order of the text, by a walk over the document itself. */
function firstFault(node: Node, path: readonly PropertyKey[] = []): string | null {
  if ('literal' in node) return node.unsafe ? pointerOf(path) : null
  if ('items' in node) {
    for (const [at, item] of node.items.entries()) {
      const fault = firstFault(item, [...path, at])
      if (fault !== null) return fault
    }
    return null
  }
  const seen = new Set<string>()
  for (const [name, value] of node.members) {
    if (/\p{Cs}/u.test(name)) return pointerOf(path)
    if (seen.has(name) || ['__proto__', 'constructor', 'prototype'].includes(name))
      return pointerOf([...path, name])
    seen.add(name)
    const fault = firstFault(value, [...path, name])
    if (fault !== null) return fault
  }
  return null
}

const documents = fc.tuple(node, fc.nat(11))

describe('what parsing would change', () => {
  const agrees = (scan: typeof scanJson) =>
    fc.property(documents, ([node, choice]) => {
      const text = written(node, choice)
      JSON.parse(text)
      assert.equal(scan(text)?.pointer ?? null, firstFault(node), text)
    })

  test('is found where it stands, and nothing else is', () => fc.assert(agrees(scanJson)))

  test('a scan that misses one kind of it, or compares names as they are written, is told apart', () => {
    const without = (kind: RegExp) => (text: string) => {
      const fault = scanJson(text)
      return fault && kind.test(fault.detail) ? null : fault
    }
    const broken = {
      'each member': without(/^expected each member once/),
      numbers: without(/^expected a number/),
      'half pairs': without(/half surrogate/),
      escapes: (text: string) => scanJson(text.replaceAll('\\u00', '\\\\u00')),
    }
    for (const [name, scan] of Object.entries(broken))
      assert.ok(fc.check(agrees(scan), { numRuns: 5000 }).failed, name)
  })

  test('a text that is no JSON is left to the parser', () => {
    for (const text of ['', '{', '"', '"\\', '[1,', '{"a"}', '}', ']]', 'nul', '"\\x"', '{"a":1}}'])
      assert.equal(scanJson(text), null, text)
  })
})

describe('limits of a body', () => {
  test('levels, members and items, names', () => {
    const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
    assert.equal(scanJson(nested(deepest)), null)
    assert.equal(scanJson(nested(deepest + 1))?.pointer, '/0'.repeat(deepest))
    const list = (items: number) => `[${Array(items).fill('true').join(',')}]`
    assert.equal(scanJson(list(valueLimit - 1)), null)
    assert.match(scanJson(list(valueLimit))?.detail ?? '', /at most 10000/)
    const named = (length: number) => `{"${'n'.repeat(length)}":1}`
    assert.equal(scanJson(named(longestMemberName)), null)
    assert.equal(scanJson(named(longestMemberName + 1))?.pointer, '')
  })
})

describe('a number of a body', () => {
  test('that JavaScript writes is taken, in any of its forms', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const exact = !Number.isInteger(value) || Number.isSafeInteger(value)
        for (const text of [String(value), value.toExponential(), value.toPrecision(17)])
          assert.equal(isExactNumber(text), exact, text)
      }),
    )
  })

  test('that its reader would see changed is refused', () => {
    for (const text of [
      '9007199254740992',
      '-9007199254740993',
      '9007199254740993.0',
      '12345678901234567890',
      '1e20',
      '1e400',
      '1e-400',
      '0.12345678901234567890',
      '0.99999999999999999999',
      `1${'0'.repeat(100)}`,
    ])
      assert.equal(isExactNumber(text), false, text)
    for (const text of ['0', '-0', '0.0', '1.10', '1E3', '0.1', '1e-7', '9007199254740991', '0e9'])
      assert.equal(isExactNumber(text), true, text)
  })
})

describe('the errors of an answer', () => {
  test('are twenty at most, and quote little of what came', () => {
    const members = Array.from({ length: 9_000 }, (_, at) => [`${'x'.repeat(40)}${at}`, at])
    const input = { ...Object.fromEntries(members), ['y'.repeat(longestMemberName)]: 1 }
    const checked = webhook.read(input)
    assert.ok(!checked.ok)
    assert.equal(checked.refusal.errors?.length, mostErrors)
    assert.ok(JSON.stringify(checked.refusal).length < 10_000)
    const odd = { ['\0'.repeat(longestMemberName)]: 1 }
    const wrong = webhook.read({ url: 'u', eventTypes: ['*'], ...odd })
    assert.ok(!wrong.ok)
    assert.ok(wrong.refusal.detail.length < 1000, wrong.refusal.detail)
  })

  test('a list that is too long is not looked into', () => {
    const checked = webhook.read({ url: 'u', eventTypes: Array(9_000).fill(0) })
    assert.ok(!checked.ok)
    const [{ code, pointer } = {}, ...more] = checked.refusal.errors ?? []
    assert.deepEqual([code, pointer, more], ['too_big', '/eventTypes', []])
  })
})
