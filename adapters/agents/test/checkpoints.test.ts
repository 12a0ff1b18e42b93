import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { digestOf } from '@countersign/core/canonical'
import fc from 'fast-check'
import { checkpointOf, createReviews, NotRun } from '../index.ts'
import { contentCheckpoint } from '../tool-call.ts'
import { deciding } from './played-provider.ts'

/** What a checkpoint is made of. */
interface Parts {
  readonly name: string
  readonly callId: string
  readonly edit?: { readonly nth: number }
  readonly namespace?: string
}

type Make = (parts: Parts) => string

const checkpoint: Make = ({ namespace, ...call }) => checkpointOf(call, namespace)

/** Texts that ids of frameworks and of attackers are: plain, long, not ASCII, with what ids are escaped and made of. */
const text = fc.oneof(
  fc.constantFrom('pay', 'c1', '', ':', '%', '%3A', '%25', 'edit-2', 'in-asked', 'ü', '№7'),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.string({ unit: 'grapheme-ascii', minLength: 150, maxLength: 250 }),
)
const parts: fc.Arbitrary<Parts> = fc.record(
  {
    name: text,
    callId: text,
    edit: fc.record({ nth: fc.integer({ min: 2, max: 11 }) }),
    namespace: text,
  },
  { requiredKeys: ['name', 'callId'] },
)

/** That no other parts have the checkpoint of these, such as have what stands behind its name for an id. */
function isInjective(make: Make): void {
  const tails = ({ name }: Parts, id: string) =>
    [id.slice(name.length + 1), id.slice(id.lastIndexOf(':') + 1)]
      .flatMap((tail) => [tail, tail.replaceAll('%3A', ':').replaceAll('%25', '%')])
      .map((callId) => ({ name, callId }))
  fc.assert(
    fc.property(parts, parts, (one, other) => {
      const id = make(one)
      assert.ok(id.length <= 200 && /^[ -~]+$/.test(id), id)
      for (const each of [other, ...tails(one, id)])
        assert.equal(make(each) === id, digestOf(each) === digestOf(one), id)
    }),
    { numRuns: 1_000, seed: 27 },
  )
}

describe('checkpoints', () => {
  it('are each of one call, change and namespace', () => isInjective(checkpoint))

  it('would not be where a digest looks like the id of a call', () => {
    const plain: Make = (each) => checkpoint(each).replace('%sha256-', '')
    const byDigest: Make = (each) => checkpoint(each).replace('%sha256-', '%25')
    for (const mutant of [plain, byDigest]) assert.throws(() => isInjective(mutant))
  })

  it('by content are none of calls that have ids', () => {
    const presentation = { action: { tool: 'pay', arguments: {} } }
    const shown = digestOf(presentation)
    for (const namespace of [undefined, '', 'asked']) {
      const id = contentCheckpoint({ name: 'pay' }, presentation, 1, namespace)
      for (const callId of [shown, `${shown}:1`, id.slice(4)])
        assert.notEqual(checkpointOf({ name: 'pay', callId }, namespace), id)
    }
  })

  it('let no approval of another namespace run a call that has its digest for an id', async () => {
    const { client, cases, reviews } = deciding('approved', { namespace: 'asked' })
    const input = { to: 'ACME' }
    await reviews.ask({ sessionId: 's', callId: 'order-№7', name: 'pay', input })
    const [review = assert.fail('no case')] = [...cases.values()]
    const { checkpointId } = review.checkpoint
    const held = createReviews(client, { tools: { pay: {} }, unasked: 'deny' })
    const digest = digestOf(['pay', 'order-№7', 'in-asked'])
    for (const callId of [digest, checkpointId.slice('pay:'.length)])
      await assert.rejects(
        held.run({ sessionId: 's', callId, name: 'pay', input }, () => assert.fail('ran')),
        NotRun,
      )
  })
})
