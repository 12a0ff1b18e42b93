import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { unwrap } from '@countersign/core'
import { byNewKey } from '@countersign/core/testing'
import fc from 'fast-check'
import { stepTypes } from '../../content/span.ts'
import { redactionActions } from '../../policies/redaction/policy.ts'
import { reviewCases } from '../../review/records.ts'
import { createWorld, send, span, spanOf, traceOf } from './world.ts'

const sessionId = 's-1'

/** An application with a policy for e-mail addresses, or for all of what certain attributes have. */
async function open(policy: Readonly<Record<string, unknown>> | null) {
  const world = await createWorld()
  const { service, admin, owner } = world
  const { applicationId } = owner
  const set = (policies: readonly Readonly<Record<string, unknown>>[]) =>
    service.redactionPolicies.set(admin, {
      applicationId,
      policies: policies.map((each) => ({ name: 'p', ...each })) as never,
    })
  if (policy) unwrap(await set([policy]))
  const application = await byNewKey(service, admin, applicationId)
  let sent = 0
  return {
    ...world,
    setPolicy: async (given: Readonly<Record<string, unknown>>) => unwrap(await set([given])),
    opens: async (checkpointId: string) =>
      unwrap(
        await service.reviewCases.open(application, {
          ...{ sessionId, checkpointId },
          reasonCategory: 'high_risk_action',
          presentation: { action: 'pay' },
          idempotencyKey: `key ${++sent}`,
        }),
      ),
    finds: async (checkpointId: string) =>
      unwrap(await service.reviewCases.find(application, { sessionId, checkpointId })),
    sends: (given: Parameters<typeof span>[0]) =>
      send(
        world,
        span({
          ...{ sessionId, traceId: traceOf(1), spanId: spanOf(++sent) },
          policyResult: { ruleId: 'rule', effect: 'require_review' } as never,
          ...given,
        }),
      ),
    open: () => world.rows(reviewCases).filter(({ state }) => state === 'open'),
  }
}

const ids = fc.constantFrom(
  'pay alice.liddell@wonderland.example',
  'alice.liddell@wonderland.example',
  'pay',
  `pay ${'x'.repeat(180)} alice.liddell@wonderland.example`.slice(0, 200),
)
const policies = fc.record({
  detect: fc.constantFrom('email', 'whole_value'),
  action: fc.constantFrom(...redactionActions),
  stepTypes: fc.subarray([...stepTypes]),
  fields: fc.constantFrom<readonly string[]>(
    [],
    ['attributes'],
    ['input', 'attributes'],
    ['input'],
  ),
  keys: fc.constant([]),
})

describe('a checkpoint whose id a redaction changes', () => {
  it('has one case for a span and an opening, in either order, and no clear text', async () => {
    await fc.assert(
      fc.asyncProperty(
        ids,
        policies,
        fc.constantFrom(...stepTypes),
        fc.boolean(),
        async (checkpointId, policy, type, opensFirst) => {
          const world = await open(policy)
          const acts = [() => world.opens(checkpointId), () => world.sends({ checkpointId, type })]
          for (const act of opensFirst ? acts : acts.toReversed()) await act()
          assert.equal(world.open().length, 1)
          const again = await world.opens(checkpointId)
          const [only] = world.open()
          assert.deepEqual([again.reviewCaseId, world.open().length], [only?.reviewCaseId, 1])
          assert.equal((await world.finds(checkpointId)).reviewCaseId, again.reviewCaseId)
          const reached = policy.fields.length === 0 || policy.fields.includes('attributes')
          if (reached && policy.detect === 'email')
            assert.ok(!JSON.stringify(world.rows(reviewCases)).includes('@wonderland.example'))
        },
      ),
      { numRuns: 40 },
    )
  })

  it('keeps checkpoints apart that differ in what was found alone', async () => {
    const world = await open({ detect: 'email', action: 'mask' })
    const one = await world.opens('pay ada@example.com')
    const other = await world.opens('pay bob@example.com')
    assert.notEqual(one.reviewCaseId, other.reviewCaseId)
    assert.match(one.checkpoint.checkpointId, /^pay \[hash:[0-9a-f]{16}\]$/)
  })

  it('has the case that was open before the policy', async () => {
    const world = await open(null)
    const before = await world.opens('pay ada@example.com')
    await world.setPolicy({ detect: 'email', action: 'mask' })
    const after = await world.opens('pay ada@example.com')
    assert.equal(after.reviewCaseId, before.reviewCaseId)
    const found = await world.finds('pay ada@example.com')
    assert.equal(found.reviewCaseId, before.reviewCaseId)
  })
})
