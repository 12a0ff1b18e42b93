import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { collections, createService, logs, unwrap } from '@countersign/core'
import {
  answered,
  byNewKey,
  createManualClock,
  createMemoryStore,
  newApplication,
  newOrganization,
  plainPorts,
  scriptedTransport,
} from '@countersign/core/testing'
import { createOutcomeCallbackHandler, memoryInbox } from '@countersign/receiver-kit'

const hour = 3_600_000
const url = 'https://app.example/outcomes'

async function world() {
  const clock = createManualClock(Date.UTC(2026, 10, 21))
  const transport = scriptedTransport(() => answered(204))
  const store = createMemoryStore({ collections, logs })
  const service = createService({
    ports: { ...plainPorts(), store, clock, transport },
    ingestUrl: 'https://ingest.example',
    // Nothing is looked for but what this process commits.
    dispatcher: { pollMs: 48 * hour },
    runner: { pollMs: 48 * hour },
  })
  const { admin } = await newOrganization(service)
  const applicationId = await newApplication(service, admin)
  const application = await byNewKey(service, admin, applicationId)
  service.start()
  let cases = 0

  /** What a new outcome is sent as. */
  async function outcome() {
    const { reviewCaseId } = unwrap(
      await service.reviewCases.open(application, {
        sessionId: 'ses',
        checkpointId: `checkpoint ${++cases}`,
        reasonCategory: 'high_risk_action',
        presentation: { action: 'pay' },
        idempotencyKey: `open ${cases}`,
      }),
    )
    const reasonCategory = 'parent_workflow_ended'
    unwrap(await service.reviewCases.cancel(application, { reviewCaseId, reasonCategory }))
    await clock.advance(2_000)
    const { headers, body } =
      transport.exchanges.find(({ body }) => Buffer.from(body).includes(reviewCaseId)) ?? {}
    assert.ok(headers && body)
    return { headers, body }
  }

  /** The statuses of receivers that hold one of these secrets each. */
  async function statuses(secrets: readonly string[]): Promise<readonly number[]> {
    const { headers, body } = await outcome()
    return Promise.all(
      secrets.map(async (secret) => {
        const inbox = memoryInbox()
        const keys = [secret]
        const onOutcome = () => {}
        const handler = createOutcomeCallbackHandler({
          keys,
          applicationId,
          inbox,
          clock,
          onOutcome,
        })
        return (await handler.handle({ method: 'POST', headers, body })).status
      }),
    )
  }

  return { clock, service, admin, applicationId, statuses }
}

describe('a receiver of outcomes', () => {
  it('accepts them by the old secret and by the new one for 24 h after a rotation, then by the new one', async () => {
    const { clock, service, admin, applicationId, statuses } = await world()
    const { applications } = service
    const input = { url, enabled: true, signing: { method: 'shared_secret' } } as const
    const set = unwrap(await applications.setOutcomeCallback(admin, { applicationId, ...input }))
    const old = set.signing.secret ?? ''
    const rotate = (given: { readonly force?: boolean } = {}) =>
      applications.rotateCallbackSecret(admin, { applicationId, ...given })
    const before = clock.now()
    const { secret: next = '', previousSecretValidUntil } = unwrap(await rotate()).signing
    assert.equal(previousSecretValidUntil, new Date(before + 24 * hour).toISOString())
    assert.deepEqual(await statuses([old, next]), [204, 204])
    await clock.advance(before + 24 * hour - 60_000 - clock.now())
    assert.deepEqual(await statuses([old, next]), [204, 204])
    await clock.advance(60_000)
    assert.deepEqual(await statuses([old, next]), [401, 204])

    const third = unwrap(await rotate()).signing.secret ?? ''
    const again = await rotate()
    assert.equal(!again.ok && again.refusal.code, 'already_rotating')
    const fourth = unwrap(await rotate({ force: true })).signing.secret ?? ''
    assert.deepEqual(await statuses([old, next, third, fourth]), [401, 401, 204, 204])
    // Saving keeps both.
    unwrap(await applications.setOutcomeCallback(admin, { applicationId, ...input }))
    assert.deepEqual(await statuses([third, fourth]), [204, 204])
    unwrap(
      await applications.setOutcomeCallback(admin, {
        applicationId,
        ...{ url, enabled: true },
        signing: { method: 'ed25519' },
      }),
    )
    assert.deepEqual(await statuses([third, fourth]), [401, 401])
    await service.drain(0)
  })
})
