import assert from 'node:assert/strict'
import { unwrap } from '@countersign/core'
import { reviewCases, sessionAnnotations, subjectKeys } from '@countersign/core/internal'
import {
  byNewKey,
  newApplication,
  newOrganization,
  provisionKey,
  type TestOrganization,
} from '@countersign/core/testing'
import { never } from './mortal-ports.ts'
import { filesWith, newDirectory, processOn, start } from './process-on.ts'

/** What every text of the person who is erased has, and every text of nobody else. */
export const hers = 'secret of grace'
export const his = 'text of alan'

/** A person's data in the forms that there are, and the request of its erasure, which nothing was done for. */
export interface Asked extends TestOrganization {
  readonly directory: string
  readonly now: number
  readonly erasureRequestId: string
  readonly reviewCaseIds: readonly string[]
  /** Her keys, and her texts as they lie sealed: bytes that the files have. */
  readonly secrets: readonly Uint8Array[]
}

export async function askedErasure(): Promise<Asked> {
  const directory = newDirectory()
  const process = processOn(directory, start, never)
  const { service, clock } = process
  const { tenantId, admin } = await newOrganization(service, { plan: 'Enterprise' })
  const applicationId = await newApplication(service, admin)
  const application = await byNewKey(service, admin, applicationId)
  const { key } = await provisionKey(service, { tenantId, applicationId })
  unwrap(await service.webhooks.create(admin, { url: 'https://hook.example/', eventTypes: ['*'] }))
  const sent = [
    ['own', 'grace', `${hers} 1`],
    ['own', 'alan', his],
    ['his', 'alan', his],
    ['his', 'grace', `${hers} 2`],
  ] as const
  for (const [at, [sessionId, dataSubjectId, input]] of sent.entries())
    unwrap(
      await service.ingest.acceptSpans(key, {
        spans: [spanOf(at, { sessionId, dataSubjectId, input })],
        rejected: {},
      }),
    )
  service.start()
  await clock.advance(60_000)
  const reviewCaseIds: string[] = []
  for (const [sessionId, closed] of [
    ['own', false],
    ['own', true],
    ['never', true],
  ] as const) {
    const { reviewCaseId } = unwrap(
      await service.reviewCases.open(application, {
        sessionId,
        checkpointId: `checkpoint-${reviewCaseIds.length}`,
        reasonCategory: 'high_risk_action',
        presentation: { text: `${hers} 3` },
        idempotencyKey: `case ${reviewCaseIds.length}`,
        ...(sessionId === 'never' && { dataSubjectId: 'grace' }),
      }),
    )
    reviewCaseIds.push(reviewCaseId)
    if (closed)
      unwrap(
        await service.reviewCases.cancel(application, {
          reviewCaseId,
          reasonCategory: 'end_user_cancelled',
        }),
      )
  }
  for (const sessionId of ['own', 'his'])
    unwrap(
      await service.annotations.create(admin, {
        sessionId,
        text: sessionId === 'own' ? `${hers} 4` : his,
      }),
    )
  await clock.advance(600_000)
  await process.end()
  // Nothing runs any more: the request is the last that was written.
  const last = processOn(directory, clock.now(), never)
  const { erasureRequestId } = unwrap(
    await last.service.erasureRequests.create(admin, {
      dataSubjectId: 'grace',
      reason: 'unlawful',
      confirm: true,
    }),
  )
  const { dataSubjectId } = unwrap(
    await last.service.erasureRequests.read(admin, { erasureRequestId }),
  )
  const keys = (await last.rows(subjectKeys)).filter(({ subjectId }) => subjectId === dataSubjectId)
  const texts = [
    ...(await last.rows(reviewCases)),
    ...(await last.rows(sessionAnnotations)).filter(({ sessionId }) => sessionId === 'own'),
  ] as readonly { readonly sealedTexts?: Uint8Array }[]
  const secrets = [
    ...keys.flatMap(({ salt, wrapped }) => [salt, wrapped]),
    ...texts.flatMap(({ sealedTexts }) => sealedTexts ?? []),
  ]
  assert.equal(secrets.length, 6)
  await last.end()
  for (const bytes of secrets) assert.notDeepEqual(filesWith(directory, Buffer.from(bytes)), [])
  const made = {
    directory,
    now: clock.now(),
    application,
    erasureRequestId,
    reviewCaseIds,
    secrets,
  }
  return { ...made, tenantId, admin }
}

/** Of the span that was sent as the `at`-th. */
export function stepIdOf(at: number): string {
  return `${traceOf(at)}-${spanIdOf(at)}`
}

const traceOf = (at: number) => (at + 1).toString(16).padStart(32, '0')
const spanIdOf = (at: number) => (at + 1).toString(16).padStart(16, '0')

function spanOf(
  at: number,
  given: { readonly sessionId: string; readonly dataSubjectId: string; readonly input: string },
) {
  return {
    traceId: traceOf(at),
    spanId: spanIdOf(at),
    parentSpanId: null,
    ...given,
    agent: null,
    name: 'step',
    type: 'llm' as const,
    startedAt: start + at,
    endedAt: start + at + 1,
    status: 'ok' as const,
    model: null,
    inputTokens: null,
    outputTokens: null,
    toolName: null,
    dataCategories: [],
    checkpointId: null,
    resumeToken: null,
    policyResult: null,
    scores: [],
    output: null,
    attributes: {},
    resource: {},
    truncated: false,
    incompleteAtSource: false,
  }
}
