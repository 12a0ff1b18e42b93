import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  type BrokenReceiver,
  brokenReceivers,
  isAlike,
  startOutcomeReceiver,
} from '@countersign/conformance/broken'
import { createSuiteReviewers, runOutcomeSuite } from '@countersign/conformance/outcome'
import { textReport } from '@countersign/conformance/receiver'
import { outcomeEndpoints } from '../outcome/kind.ts'
import { signing, verifying } from './receiver-targets.ts'

const { COUNTERSIGN_PROVE: whole, FC_SEED: seed = '0' } = process.env
const applicationId = 'app_01m3xq8v7c0h2k4n6p8r0t2w4y'
const given = { verifyKeys: verifying.verifyKeys, applicationId }
const { keys } = signing
const suite = { keys, applicationId, deadlineMs: 5_000 } as const
const judged = new Set(
  outcomeEndpoints({ applicationId }, undefined).properties.map(({ name }) => name),
)

/** Faults that are about types, the legacy family or the order of a case are none of an endpoint of outcomes. */
const ofEventsAlone = /\btypes?\b|legacy|cases that it knows/
/** Those of an endpoint of outcomes too. One that takes one request at a time is quick enough where nothing is ordered. */
const alike = brokenReceivers.filter(
  ({ name, group, killedBy, change }) =>
    group !== 'families' &&
    killedBy !== 'acknowledgement.burst' &&
    judged.has(killedBy) &&
    !ofEventsAlone.test(name) &&
    isAlike(change()),
)

/** One for each property, by the seed. */
const sampleOf = (all: readonly BrokenReceiver[]): readonly BrokenReceiver[] =>
  [...judged].flatMap((property) => {
    const own = all.filter(({ killedBy }) => killedBy === property)
    return own[Math.abs(Number(seed)) % own.length] ?? []
  })

describe('the outcome suite, at its own budget', () => {
  it('passes a sound endpoint', async () => {
    const { url, probe, close } = await startOutcomeReceiver(given)
    const report = await runOutcomeSuite({ ...suite, url, probe })
    await close()
    assert.deepEqual([report.failed, report.notJudged], [0, 0], textReport(report))
  })

  it('passes a sound endpoint that pins the keys of reviewers', async () => {
    const reviewers = createSuiteReviewers()
    const { pinned } = reviewers
    const { url, probe, close } = await startOutcomeReceiver({ ...given, pinned })
    const report = await runOutcomeSuite({ ...suite, url, probe, reviewers })
    await close()
    assert.deepEqual([report.failed, report.notJudged], [0, 0], textReport(report))
  })

  for (const { name, killedBy, change } of whole ? alike : sampleOf(alike))
    it(`fails an endpoint of outcomes that ${name}, by ${killedBy}`, async () => {
      const { url, probe, close } = await startOutcomeReceiver(given, change)
      const only = [killedBy]
      const report = await runOutcomeSuite({ ...suite, url, probe, only, resumeMs: 2_000 })
      await close()
      const [property] = report.properties
      assert.equal(property?.verdict, 'failed', textReport(report))
    })

  it('is tried on most faults of receivers of events', () =>
    assert.ok(alike.length > 200, `${alike.length}`))
})
