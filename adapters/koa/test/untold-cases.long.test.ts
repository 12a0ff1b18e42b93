import assert from 'node:assert/strict'
import { test } from 'node:test'
import { authorize } from '@countersign/core/access'
import { routes } from '../index.ts'
import { ask } from './cast.ts'
import { keyOf, sampleOf } from './requests.ts'
import { newCase, openWorld, type Person, value, type World } from './world.ts'

/** In every text of a case that a read of it tells. */
const canary = 'CANARY-OF-THE-CASE'

/** A decided case, every text of which is the canary's, whose callback can be replayed. */
async function toldCase(world: World): Promise<string> {
  const { service, home, reviewer } = world
  const app = { kind: 'application', ...home.app } as const
  const { reviewCaseId } = value(
    await service.reviewCases.open(app, {
      ...newCase(),
      presentation: { prompt: canary },
      policyResults: [{ detail: canary }],
      resumeToken: canary,
    }),
  )
  const { caseVersion, presentationDigest } = value(
    await service.reviewCases.claim(reviewer.actor, { reviewCaseId }),
  )
  value(
    await service.reviewCases.decide(reviewer.actor, {
      reviewCaseId,
      caseVersion,
      presentationDigest: presentationDigest ?? '',
      decision: 'response_submitted',
      comment: canary,
      response: { text: canary },
    }),
  )
  const report = { outcome: 'terminated', detail: canary } as const
  value(await service.reviewCases.reportContinuation(app, { reviewCaseId, ...report }))
  return reviewCaseId
}

test('no operation tells more of a case than a read by the same member would', async () => {
  const world = await openWorld()
  try {
    const { home, service, auditor, integrator, reviewer } = world
    const callback = { url: 'https://app.example/outcome', enabled: true }
    const { applicationId } = home.app
    const setCallback = (enabled: boolean) =>
      service.applications.setOutcomeCallback(home.admin.actor, {
        applicationId,
        ...callback,
        enabled,
      })
    const exporter = await home.person('CustomerAuditor', ['Export Evidence'])
    const both = await home.person('CustomerAuditor', ['Manage Integrations', 'Export Evidence'])
    const tells = async (member: Person, name: string): Promise<readonly string[]> => {
      const told: string[] = []
      for (const row of routes) {
        // Exports are audited.
        if (row.host !== 'portal' || row.right === 'exportEvidence' || row.auth !== 'member')
          continue
        // Logging out would end the member's session.
        if (row.path.startsWith('/v1/auth/')) continue
        const isCase = row.path.includes(':reviewCaseId')
        if (name === 'reviewer' && !isCase) continue
        const sample = await sampleOf(row, world)
        const reviewCaseId = await toldCase(world)
        const ids = { ...sample.ids, ...(isCase && { reviewCaseId }) }
        const answer = await ask(world, row, { ...sample, ids }, { as: member })
        if (answer.text.includes(canary)) told.push(keyOf(row))
        if (row.name !== 'reviewCases.replayCallback') continue
        assert.equal(answer.status, authorize(member.actor, 'replayCallbacks').ok ? 200 : 403)
        if (answer.status === 200 && name !== 'reviewer')
          assert.deepEqual(Object.keys(answer.json).sort(), ['callback', 'reviewCaseId'])
      }
      return told
    }
    value(await setCallback(false))
    await toldCase(world)
    // Cases close while the callback is off, so that each can be replayed once it is on.
    const { decide } = service.reviewCases
    const whileOff: typeof decide = async (...given) => {
      value(await setCallback(false))
      const decided = await decide(...given)
      value(await setCallback(true))
      return decided
    }
    Object.assign(service.reviewCases, { decide: whileOff })
    for (const [name, member] of Object.entries({ auditor, integrator, exporter, both }))
      assert.deepEqual(await tells(member, name), [], name)
    // The canary is found where it may be told.
    assert.ok((await tells(reviewer, 'reviewer')).length >= 2)
  } finally {
    await world.close()
  }
})
