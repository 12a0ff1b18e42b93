import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { type ApplicationActor, type CustomerKeyActor, unwrap } from '@countersign/core'
import { canonicalize } from '@countersign/core/internal'
import { byNewKey, provisionKey } from '@countersign/core/testing'
import type { SteadyWorld } from './steady-world.ts'

/** Days after which the load is the same again. */
export const periodDays = 28

/** What is loaded every day. */
export interface Loaded {
  readonly applicationId: string
  readonly application: ApplicationActor
  readonly key: CustomerKeyActor
  readonly brokenWebhookId: string
}

/** An application with rules, endpoints of every kind, and an endpoint that always fails. */
export async function prepared({ service, admin }: SteadyWorld): Promise<Loaded> {
  const { tenantId } = admin
  const { applicationId } = unwrap(
    await service.applications.create(admin, {
      name: 'Claims',
      settings: { governanceThreshold: 50, qualityThreshold: 90 },
    }),
  )
  unwrap(
    await service.policyRules.set(admin, {
      applicationId,
      ruleSetVersion: 0,
      rules: [
        { name: 'payments', match: { toolNames: ['pay'] }, effect: 'require_review' },
        { name: 'deletions', match: { toolNames: ['delete'] }, effect: 'deny' },
      ],
    }),
  )
  unwrap(
    await service.applications.setOutcomeCallback(admin, {
      applicationId,
      url: 'https://callback.example/',
      enabled: true,
    }),
  )
  unwrap(await service.webhooks.create(admin, { url: 'https://hook.example/', eventTypes: ['*'] }))
  const broken = unwrap(
    await service.webhooks.create(admin, { url: 'https://broken.example/', eventTypes: ['*'] }),
  )
  unwrap(
    await service.notificationChannels.create(admin, {
      kind: 'slack',
      webhookUrl: 'https://chat.example/hook',
      eventTypes: ['*'],
    }),
  )
  unwrap(
    await service.alertRules.create(admin, {
      name: 'failing',
      metricName: 'sessions.failed_percent',
      comparator: 'gt',
      threshold: 20,
      severity: 'warning',
      windowSeconds: 86_400,
    }),
  )
  const { key } = await provisionKey(service, { tenantId, applicationId })
  return {
    applicationId,
    application: await byNewKey(service, admin, applicationId, 'agent'),
    key,
    brokenWebhookId: broken.id,
  }
}

/** What an organization does on a day, from 0: the same every `periodDays`, but for ids and times. */
export async function oneDay(world: SteadyWorld, loaded: Loaded, number: number): Promise<void> {
  await ingest(world, loaded, number)
  await decideCases(world, loaded, number)
  await logIn(world, number)
  if (number > 0) await lookAtSessions(world, number - 1)
  if (number % 7 === 6) await everyWeek(world, loaded, number)
  if (number % periodDays === periodDays - 1) await everyPeriod(world, loaded, number)
}

/** Three traces, one of which fails and one of which needs a review, and a submission. */
async function ingest({ service, clock }: SteadyWorld, { key }: Loaded, number: number) {
  const now = clock.now()
  const nanos = (ms: number) => `${ms}000000`
  const text = (name: string, value: string) => ({ key: name, value: { stringValue: value } })
  const spans = ['pay', 'delete', 'look'].map((tool, at) => ({
    traceId: hexOf(number * 3 + at + 1, 32),
    spanId: hexOf(number * 3 + at + 1, 16),
    name: `run ${tool}`,
    startTimeUnixNano: nanos(now - 5_000),
    endTimeUnixNano: nanos(now - 1_000),
    status: { code: tool === 'look' && number % 2 === 0 ? 2 : 1 },
    attributes: [
      text('session.id', sessionOf(number, tool)),
      text('user.id', `person-${(number + at) % periodDays}`),
      text('gen_ai.operation.name', 'execute_tool'),
      text('gen_ai.tool.name', tool),
      text('gen_ai.tool.call.arguments', `{"text":"${'a few words '.repeat(20)}"}`),
    ],
  }))
  const body = { resourceSpans: [{ scopeSpans: [{ spans }] }] }
  const taken = unwrap(
    await service.ingest.acceptExport(key, new TextEncoder().encode(JSON.stringify(body))),
  )
  assert.deepEqual(taken, {})
  const session = {
    sessionId: sessionOf(number, 'submitted'),
    startedAt: new Date(now - 5_000).toISOString(),
    endedAt: new Date(now - 1_000).toISOString(),
    status: 'completed' as const,
    dataSubjectId: `passer-by-${number}`,
    steps: [],
  }
  const leaf = createHash('sha256').update(Buffer.of(0)).update(canonicalize(session))
  unwrap(
    await service.ingest.submit(key, {
      batchId: `batch-${number}`,
      merkleRoot: leaf.digest('hex'),
      sessions: [session],
    }),
  )
}

/** Of a session that came and of one that never comes: a case that is decided, and one that waits until it expires. */
async function decideCases({ service, admin }: SteadyWorld, loaded: Loaded, number: number) {
  const both = ['decided', 'expiring']
  const sessions = [sessionOf(number, 'submitted'), `never-${number}`]
  const cases = sessions.flatMap((sessionId) => both.map((what) => ({ sessionId, what })))
  for (const { sessionId, what } of cases) {
    const opened = unwrap(
      await service.reviewCases.open(loaded.application, {
        sessionId,
        checkpointId: what,
        reasonCategory: 'high_risk_action',
        presentation: { action: 'pay' },
        idempotencyKey: `${what} ${sessionId}`,
      }),
    )
    if (what === 'expiring') continue
    const { reviewCaseId, caseVersion, presentationDigest } = unwrap(
      await service.reviewCases.claim(admin, { reviewCaseId: opened.reviewCaseId }),
    )
    unwrap(
      await service.reviewCases.decide(admin, {
        reviewCaseId,
        caseVersion,
        presentationDigest: presentationDigest ?? '',
        decision: 'approved',
      }),
    )
    unwrap(
      await service.reviewCases.reportContinuation(loaded.application, {
        reviewCaseId,
        outcome: 'resumed',
      }),
    )
  }
}

/** From another address each day: failures of one are forgotten by a clock that stands still here. */
async function logIn({ service }: SteadyWorld, number: number) {
  const address = `10.0.${number >> 8}.${number & 255}`
  const caller = { address, email: 'ada@acme.example' }
  assert.equal((await service.auth.login({ ...caller, password: 'wrong' })).ok, false)
  const { token } = unwrap(
    await service.auth.login({ ...caller, password: 'correct horse battery' }),
  )
  unwrap(await service.auth.logout(unwrap(await service.access.authenticateMember(token)), {}))
}

/** What members do with the sessions of the day before. */
async function lookAtSessions({ service, admin }: SteadyWorld, number: number) {
  const sessionId = sessionOf(number, 'pay')
  unwrap(await service.annotations.create(admin, { sessionId, text: 'looked at' }))
  unwrap(await service.flags.raise(admin, { sessionId, flag: 'privacy' }))
  unwrap(await service.sessionReviews.create(admin, { sessionId, decision: 'approved' }))
}

/** Exports, an invitation that nobody takes, keys, and the endpoint that failed. */
async function everyWeek({ service, admin }: SteadyWorld, loaded: Loaded, number: number) {
  const { applicationId, brokenWebhookId } = loaded
  const applicationIds = [applicationId]
  const exports = [
    unwrap(await service.evidencePackages.exportBulk(admin, { applicationIds })),
    unwrap(await service.evidencePackages.exportSubject(admin, { dataSubjectId: 'person-3' })),
  ]
  for (const { pieces } of exports) for await (const _ of pieces);
  unwrap(await service.invitations.create(admin, { email: `guest-${number}@example.com` }))
  const secondary = unwrap(await service.customerKeys.issue(admin, { applicationId }))
  unwrap(await service.customerKeys.revoke(admin, { keyId: secondary.keyId }))
  const reason = 'a new backend'
  const asked = unwrap(
    await service.keyRequests.submit(admin, {
      action: 'issue-secondary-key',
      applicationId,
      reason,
    }),
  )
  unwrap(
    await service.keyRequests.reject(
      { kind: 'system' },
      { requestId: asked.id, reason: 'no need' },
    ),
  )
  const { status } = unwrap(await service.webhooks.read(admin, { webhookId: brokenWebhookId }))
  if (status === 'turned_off')
    unwrap(await service.webhooks.turnOn(admin, { webhookId: brokenWebhookId }))
}

/** An erasure, a hold that is released, and new keys that sign. */
async function everyPeriod({ service, admin }: SteadyWorld, _: Loaded, number: number) {
  unwrap(
    await service.erasureRequests.create(admin, {
      dataSubjectId: `passer-by-${number - 1}`,
      reason: 'objection',
      confirm: true,
    }),
  )
  const { holdId } = unwrap(
    await service.legalHolds.place(admin, {
      dataSubjectId: `passer-by-${number - 2}`,
      matter: 'a claim',
    }),
  )
  unwrap(await service.legalHolds.release(admin, { holdId, reason: 'settled' }))
  unwrap(await service.signingKeys.rotate(admin, { use: 'webhooks' }))
}

function sessionOf(number: number, what: string): string {
  return `${what}-${number}`
}

function hexOf(number: number, length: number): string {
  return number.toString(16).padStart(length, '0')
}
