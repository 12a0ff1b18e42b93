import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { unwrap } from '@countersign/core'
import { sliceSize } from '../../base/json/in-slices.ts'
import { steps } from '../../content/records.ts'
import { exportOf, span, spanId, traceId } from './otlp/exports.ts'
import { createWorld, type World } from './world.ts'

const stepId = `${traceId}-${spanId}`

/** Takes a span with these attributes, and reads what was stored of it. */
async function taken({ service, key, admin }: World, attributes: object) {
  const named = { 'session.id': 'session-1', ...attributes }
  const body = new TextEncoder().encode(JSON.stringify(exportOf([span({ attributes: named })])))
  unwrap(await service.ingest.acceptExport(key, body))
  return unwrap(await service.sessions.readStep(admin, { sessionId: 'session-1', stepId }))
}

describe('an export with content over its limit', () => {
  const members = [{ ssn: '123-45-6789', pad: 'x'.repeat(700_000) }, { pad: 'y'.repeat(700_000) }]

  it('is redacted before it is cut', async () => {
    for (const input of [members, JSON.stringify(members)]) {
      const world = await createWorld()
      const { service, admin, owner } = world
      const policy = {
        name: 'ssn',
        keys: ['ssn'],
        detect: 'whole_value',
        action: 'remove',
      } as const
      unwrap(
        await service.redactionPolicies.set(admin, {
          applicationId: owner.applicationId,
          policies: [policy],
        }),
      )
      const step = await taken(world, { 'gen_ai.input.messages': input })
      assert.deepEqual([step.truncated, step.redactions], [true, 1])
      assert.match(String(step.payload?.input), /^\[\{"pad":"x+"\},\{"pad":"y+$/)
    }
  })

  it('is judged before it is cut, with pauses', async () => {
    const pad = 'x'.repeat(1_200_000)
    const rules = [
      { key: 'tool.command', text: `${pad} DANGER` },
      { key: 'input', text: JSON.stringify([pad, 'DANGER']) },
    ]
    for (const { key, text } of rules) {
      let pauses = 0
      const world = await createWorld({
        pause: async () => {
          pauses++
        },
      })
      const { service, admin, owner } = world
      const match = { attributes: [{ key, op: 'contains', value: 'DANGER' } as const] }
      const rule = { name: 'danger', effect: 'deny', match } as const
      unwrap(
        await service.policyRules.set(admin, {
          applicationId: owner.applicationId,
          ruleSetVersion: 0,
          rules: [rule],
        }),
      )
      const step = await taken(world, { [key === 'input' ? 'input.value' : key]: text })
      assert.equal(step.truncated, true)
      assert.deepEqual(
        world.rows(steps).map(({ policyResults }) => policyResults.map(({ effect }) => effect)),
        [['deny']],
      )
      // The rule pauses within the text.
      assert.ok(pauses > pad.length / sliceSize, `${pauses} pauses`)
    }
  })
})
