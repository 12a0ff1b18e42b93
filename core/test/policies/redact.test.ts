import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { atOnce, createSlices } from '../../base/json/in-slices.ts'
import {
  detectables,
  detectors,
  type RedactionPolicy,
  redactedFields,
  redactionActions,
} from '../../policies/redaction/policy.ts'
import { createRedactor, type StepContents } from '../../policies/redaction/redact.ts'
import { findAll } from '../../policies/redaction/scan.ts'

const key = new Uint8Array(32).fill(7)

function policy(given: Partial<RedactionPolicy> = {}): RedactionPolicy {
  return {
    redactionPolicyId: 'red_1',
    name: 'Addresses',
    enabled: true,
    stepTypes: [],
    fields: [],
    keys: [],
    detect: 'email',
    action: 'mask',
    ...given,
  }
}

type Redact = (
  policies: readonly RedactionPolicy[],
  contents: StepContents,
) => StepContents & { readonly redactions: number }

const redact: Redact = (policies, contents) =>
  atOnce(createRedactor(policies, key).step('llm', contents, createSlices()))

function contents(given: Partial<StepContents> = {}): StepContents {
  return { input: null, output: null, attributes: {}, ...given }
}

const secret = 'alice@example.com'
const leaf = fc.constantFrom(secret, `to ${secret}, now`, 'plain', 4111111111111111, 12, null, true)
const { document } = fc.letrec<{ document: unknown }>((tie) => ({
  document: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc.array(tie('document'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'mail', secret, '__proto__'), tie('document'), {
      maxKeys: 3,
    }),
    tie('document').map((value) => JSON.stringify(value)),
    tie('document').map((value) => JSON.stringify(value).replaceAll('@', '\\u0040')),
  ),
}))

/** What a reader of the stored contents could find, escapes undone as often as JSON is nested. */
function readable(value: unknown): string {
  let text = JSON.stringify(value)
  for (let level = 0; level < 8; level++)
    text = text.replace(/\\+(u0040)?/g, (_, at) => (at ? '@' : ''))
  return text
}

function leavesNothing(candidate: Redact): void {
  const every = policy()
  fc.assert(
    fc.property(
      document,
      document,
      fc.constantFrom(...redactionActions),
      (input, inner, action) => {
        const given = contents({ input, attributes: { inner, [secret]: 1 } })
        const before = JSON.stringify(given)
        const after = candidate([{ ...every, action }], given)
        assert.ok(!readable(after).includes(secret), JSON.stringify(after))
        assert.ok(after.redactions > 0)
        assert.equal(JSON.stringify(given), before, 'the contents given are not changed')
      },
    ),
    { numRuns: 500 },
  )
}

describe('redaction', () => {
  it('leaves none of what it detects: in values, names, lists, JSON in texts and its escapes', () =>
    leavesNothing(redact))

  it('is told from redactors that overlook a place', () => {
    const inText = /[{[]/
    const mutants: Readonly<Record<string, Redact>> = {
      'names of members': (policies, given) => {
        const after = redact(policies, given)
        return { ...after, attributes: { ...after.attributes, [secret]: 1 } }
      },
      'JSON in texts': (policies, given) => {
        const after = redact(policies, given)
        const text = typeof given.input === 'string' && inText.test(given.input)
        return text ? { ...after, input: given.input } : after
      },
      'the second in a list': (policies, given) => {
        const after = redact(policies, given)
        const { input } = given
        return Array.isArray(input) && Array.isArray(after.input)
          ? { ...after, input: [after.input[0], ...input.slice(1)] }
          : after
      },
    }
    for (const [name, mutant] of Object.entries(mutants))
      assert.throws(() => leavesNothing(mutant), name)
  })

  it('changes nothing where there is nothing to find, and counts none', () => {
    // Without a digit an address of IPv6 has `::`, or is longer than these texts.
    const harmless = fc
      .jsonValue({ maxDepth: 4, noUnicodeString: true })
      .filter((value) => !/[@\d]|::/.test(JSON.stringify(value)))
    const all = detectables.filter((detect) => detect !== 'whole_value')
    fc.assert(
      fc.property(harmless, (input) => {
        const policies = all.map((detect) => policy({ detect, action: 'remove' }))
        const given = contents({ input, attributes: { input } })
        assert.deepEqual(redact(policies, given), { ...given, redactions: 0 })
      }),
    )
  })

  it('masks, removes and hashes', () => {
    const given = contents({ input: `Mail ${secret} or ${secret.toUpperCase()}.` })
    const by = (action: RedactionPolicy['action']) => redact([policy({ action })], given)
    assert.equal(by('mask').input, 'Mail [redacted:email] or [redacted:email].')
    assert.equal(by('remove').input, 'Mail  or .')
    const hash = createHmac('sha256', key).update(secret).digest('hex').slice(0, 16)
    assert.equal(by('hash').input, `Mail [hash:${hash}] or [hash:${hash}].`)
    assert.equal(by('hash').redactions, 2)
    const other = atOnce(
      createRedactor([policy({ action: 'hash' })], new Uint8Array(32)).step(
        'llm',
        given,
        createSlices(),
      ),
    )
    assert.notEqual(other.input, by('hash').input, 'the hash is keyed')
  })

  it('hashes different spellings of one number to the same', () => {
    const spelled = ['4111 1111 1111 1111', '4111-1111-1111-1111', 4111111111111111]
    const { input } = redact(
      [policy({ detect: 'payment_card', action: 'hash' })],
      contents({ input: spelled }),
    )
    assert.equal(new Set(input as string[]).size, 1)
  })

  it('takes whole values: of attributes each, of a named member what is under it', () => {
    const whole = policy({ detect: 'whole_value', fields: ['attributes', 'input'] })
    const given = contents({ input: { a: 1 }, output: 'kept', attributes: { one: 1, two: 'x' } })
    assert.deepEqual(redact([whole], given), {
      input: '[redacted:whole_value]',
      output: 'kept',
      attributes: { one: '[redacted:whole_value]', two: '[redacted:whole_value]' },
      redactions: 3,
    })
    assert.deepEqual(redact([{ ...whole, action: 'remove' }], given), {
      input: null,
      output: 'kept',
      attributes: {},
      redactions: 3,
    })
    const named = policy({ detect: 'whole_value', keys: ['pass*'], action: 'remove' })
    const input = {
      user: 'a',
      login: [{ password: { deep: 1 } }],
      text: '{"passphrase":"x","n":1}',
    }
    assert.deepEqual(redact([named], contents({ input })).input, {
      user: 'a',
      login: [{}],
      text: '{"n":1}',
    })
  })

  it('applies keys to all that is under a named member, and to nothing else', () => {
    const named = policy({ keys: ['contact'] })
    const input = { contact: { list: [secret] }, other: secret }
    assert.deepEqual(redact([named], contents({ input })).input, {
      contact: { list: ['[redacted:email]'] },
      other: secret,
    })
  })

  it('applies a policy to its step types and fields, and none that is disabled', () => {
    const given = contents({ input: secret, output: secret, attributes: { a: secret } })
    const fieldsOf = (one: Partial<RedactionPolicy>) => {
      const after = redact([policy(one)], given)
      return [after.input, after.output, after.attributes.a].map((value) => value !== secret)
    }
    assert.deepEqual(fieldsOf({}), [true, true, true])
    assert.deepEqual(fieldsOf({ enabled: false }), [false, false, false])
    assert.deepEqual(fieldsOf({ stepTypes: ['tool'] }), [false, false, false])
    assert.deepEqual(fieldsOf({ stepTypes: ['tool', 'llm'], fields: ['output'] }), [
      false,
      true,
      false,
    ])
    const metadata = { owner: secret }
    const of = (one: Partial<RedactionPolicy>) =>
      atOnce(createRedactor([policy(one)], key).metadata(metadata, createSlices())).metadata
        .owner !== secret
    assert.ok(of({}) && of({ fields: ['metadata'], stepTypes: ['llm'] }))
    assert.ok(!of({ stepTypes: ['llm'] }) && !of({ fields: ['input'] }))
  })

  it('never looks at what an earlier policy placed', () => {
    const first = policy({ detect: 'email', action: 'hash' })
    const second = policy({ detect: 'payment_card', action: 'mask' })
    fc.assert(
      fc.property(fc.nat(), (number) => {
        const text = `u${number}@example.com`
        const { input, redactions } = redact([first, second], contents({ input: text }))
        assert.match(String(input), /^\[hash:[0-9a-f]{16}\]$/)
        assert.equal(redactions, 1)
      }),
    )
  })

  const found = ['DE89 3704 0044 0532 0130 00', '4111 1111 1111 1111', '0151 2345678', '10.0.0.1']
  const some = detectables.filter((detect) => detect !== 'whole_value')

  it('takes the longest of overlapping finds, whatever the order of the policies', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([...some], { minLength: 5 }), (order) => {
        const policies = order.map((detect) => policy({ detect }))
        const of = (input: string) => redact(policies, contents({ input })).input
        assert.equal(of(`to ${found[0]}.`), 'to [redacted:iban].')
        assert.equal(of(`by ${found[1]}!`), 'by [redacted:payment_card]!')
        assert.equal(of('4111.1111.1111.1111'), '[redacted:payment_card]')
      }),
    )
  })

  it('leaves no part of what any policy finds', () => {
    const piece = fc.oneof(fc.constantFrom(...found, secret, 'plain', ' ', '.', '-', '+49 '))
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join('')),
        fc.shuffledSubarray([...some]),
        (input, order) => {
          const finds = order.flatMap((detect) => findAll(detectors[detect].scan, input))
          const kept = [...input]
            .filter((_, at) => !finds.some(({ from, to }) => from <= at && at < to))
            .join('')
          const policies = order.map((detect) => policy({ detect, action: 'remove' }))
          assert.equal(redact(policies, contents({ input })).input, kept)
        },
      ),
      { numRuns: 500 },
    )
  })

  it('keeps every member of an object whose names become the same', () => {
    const input = { 'a@b.co': 1, 'c@d.co': 2, '[redacted:email]': 3 }
    assert.deepEqual(redact([policy()], contents({ input })).input, {
      '[redacted:email]': 1,
      '[redacted:email] (2)': 2,
      '[redacted:email] (3)': 3,
    })
  })

  it('takes deeply nested JSON in a text for plain text', () => {
    const depth = 200_000
    const input = `${'['.repeat(depth)}"${secret}"${']'.repeat(depth)}`
    const whole = policy({ detect: 'whole_value', keys: ['x'] })
    const after = redact([whole, policy()], contents({ input }))
    assert.ok(!String(after.input).includes(secret))
  })

  it('names every field and action', () => {
    assert.deepEqual(redactedFields, ['input', 'output', 'attributes', 'metadata'])
    assert.deepEqual(redactionActions, ['mask', 'remove', 'hash'])
  })
})
