import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { atOnce, createSlices } from '../../base/json/in-slices.ts'
import type { RedactionPolicy } from '../../policies/redaction/policy.ts'
import { createRedactor } from '../../policies/redaction/redact.ts'
import { incomingSpan } from '../../sessions/accept/incoming.ts'
import { redactContents } from '../../sessions/accept/redact-contents.ts'
import { one } from './otlp/exports.ts'

const hashKey = new Uint8Array(32)

/** The contents of a span with these attributes, as they are stored. */
function stored(attributes: object, policies: readonly RedactionPolicy[] = []) {
  const names = { subjectOf: () => assert.fail('it names nobody') }
  const step = incomingSpan(one(attributes), 'session-1', names)
  const { contents, ...kept } = atOnce(
    redactContents(createRedactor(policies, hashKey), step, createSlices()),
  )
  return { ...contents, ...kept }
}

const policy = (given: Partial<RedactionPolicy>): RedactionPolicy => ({
  redactionPolicyId: 'red_1',
  name: 'policy',
  enabled: true,
  stepTypes: [],
  fields: [],
  keys: [],
  detect: 'whole_value',
  action: 'remove',
  ...given,
})

describe('content over its limit', () => {
  const limit = 1_048_576
  const jsonBytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length

  test('is cut, and the span says so', () => {
    for (const unit of ['x', 'é', '漢', '😀', '"', '\n', '\u0001']) {
      const text = unit.repeat(Math.ceil((1.2 * limit) / (jsonBytes(unit) - 2)))
      const read = stored({ 'input.value': text, small: 'whole' })
      assert.equal(read.truncated, true)
      assert.ok(text.startsWith(String(read.input)))
      assert.ok(jsonBytes(read.input) <= limit, unit)
      assert.ok(jsonBytes(read.input) > limit - 16, unit)
      assert.ok(!/\p{Cs}/u.test(String(read.input)), unit)
      assert.deepEqual(read.attributes, { small: 'whole' })
    }
    assert.equal(stored({ 'input.value': 'x'.repeat(limit - 2) }).truncated, false)
    assert.equal(stored({ 'input.value': 'x'.repeat(limit - 1) }).truncated, true)
  })

  test('a list becomes the start of its JSON', () => {
    const list = Array.from({ length: 4 }, () => 'y'.repeat(400_000))
    const read = stored({ 'output.value': list })
    assert.ok(JSON.stringify(list).startsWith(String(read.output)))
    assert.ok(jsonBytes(read.output) <= limit)
  })

  test('attributes together: the longest give way, none is lost', () => {
    const attributes = {
      a: 'a'.repeat(900_000),
      b: 'b'.repeat(900_000),
      c: 'c'.repeat(1_000),
      d: 4,
    }
    const read = stored(attributes)
    assert.equal(read.truncated, true)
    assert.ok(jsonBytes(read.attributes) <= limit)
    assert.equal(read.attributes.c, attributes.c)
    assert.equal(read.attributes.d, 4)
    assert.ok(attributes.a.startsWith(String(read.attributes.a)))
    assert.equal(String(read.attributes.a).length, String(read.attributes.b).length)
  })

  test('an object of just the limit stays whole', () => {
    const values = { a: 'a'.repeat(limit - 23), b: 'b'.repeat(9) }
    assert.equal(jsonBytes(values), limit + 1)
    for (const [less, cut] of [
      [1, false],
      [0, true],
    ] as const)
      assert.equal(stored({ ...values, a: values.a.slice(less) }).truncated, cut)
  })
})

describe('a secret in content of any size', () => {
  const secrets = {
    ssn: { policy: policy({ keys: ['ssn'] }), text: '123-45-6789' },
    mail: { policy: policy({ detect: 'email', action: 'mask' }), text: 'jo.smith@mail.example' },
  }
  const policies = Object.values(secrets).map((each) => each.policy)
  const parts = ['123-45-67', 'jo.smith@', 'smith@mail']
  /** What surrounds the secret takes so much, so that it lies before, across and behind each cut. */
  const padding = fc.oneof(
    fc.nat(300),
    fc.integer({ min: 1_048_400, max: 1_048_700 }),
    fc.integer({ min: 524_100, max: 524_500 }),
    fc.nat(4_300_000),
  )
  const shapes: readonly ((member: object) => unknown)[] = [
    (member) => member,
    (member) => [member],
    (member) => JSON.stringify(member),
    (member) => JSON.stringify([JSON.stringify(member)]),
    (member) => ({ deep: [JSON.stringify(member)] }),
  ]

  test('is nowhere in what is stored', () => {
    fc.assert(
      fc.property(
        fc.tuple(padding, padding),
        fc.constantFrom('x', 'é', '"', '\n'),
        fc.constantFrom(...shapes),
        fc.constantFrom('input.value', 'output.value', 'note'),
        ([before, behind], unit, shape, key) => {
          const { ssn, mail } = secrets
          const room = unit === 'x' ? 1 : 4
          const member = {
            a: unit.repeat(before / room),
            ssn: ssn.text,
            mail: `to ${mail.text} `,
            z: unit.repeat(behind / room),
          }
          const kept = stored({ [key]: shape(member), small: 'whole' }, policies)
          const text = JSON.stringify(kept)
          for (const part of parts) assert.ok(!text.includes(part), part)
          assert.equal(kept.attributes.small, 'whole')
          if (kept.redactions === 0) assert.equal(kept.truncated, true)
          for (const content of [kept.input, kept.output, kept.attributes])
            assert.ok(new TextEncoder().encode(JSON.stringify(content)).length <= 1_048_576)
        },
      ),
      { numRuns: 40 },
    )
  })

  test('leaves what was cut off alone', () => {
    const text = JSON.stringify([{ ssn: secrets.ssn.text, a: 'x'.repeat(1_500_000) }])
    const kept = stored({ 'input.value': text }, policies)
    assert.equal(kept.truncated, true)
    assert.equal(kept.redactions, 1)
    assert.match(String(kept.input), /^\[\{"a":"x+$/)
  })

  test('goes with all of a content that is too large to be redacted', () => {
    const large = 'x'.repeat(4_194_305)
    const given = { 'input.value': large, 'output.value': 'told', note: large, small: 'whole' }
    const kept = stored(given, policies)
    assert.deepEqual(kept, {
      input: null,
      output: 'told',
      attributes: { small: 'whole' },
      redactions: 0,
      truncated: true,
    })
    assert.equal(String(stored(given).input).length, 1_048_574)
  })

  test('a replacement that is longer stays within the limit', () => {
    const mails = 'a@b.de '.repeat(149_796)
    const kept = stored({ 'input.value': mails }, policies)
    assert.equal(kept.truncated, true)
    assert.equal(String(kept.input).length, 1_048_574)
    assert.ok(!String(kept.input).includes('@'))
  })
})
