import {
  type ApplicationActor,
  type CaseView,
  type CustomerKeyActor,
  type MemberActor,
  type MemberView,
  type OpenCase,
  type Service,
  unwrap,
} from '@countersign/core'
import { canonicalize, leafHash, merkleTree } from '@countersign/core/internal'
import {
  type SandboxAgent,
  sandboxAgents,
  sandboxSession,
  sessionsPerAgent,
} from './sandbox-sessions.ts'
import { seedAlertRules, seedChannels, seedKeyRequests } from './seed-settings.ts'
import type { SteppedClock } from './stepped-clock.ts'

const system = { kind: 'system' } as const
const hour = 3_600_000

/** One application of the sandbox, and who acts for it. */
interface Stage {
  readonly applicationId: string
  readonly application: ApplicationActor
  readonly sessionIds: readonly string[]
  readonly agent: SandboxAgent
}

interface People {
  readonly admin: MemberActor
  readonly reviewer: MemberActor
}

/**
 * Plays the sandbox's content by the service's own use cases, each at a time of the clock, so that the same seed makes
 * the same ids: an organization, two applications, 24 sessions, rules and what they found, cases in each state, marks,
 * a hold, an erasure, keys, key requests, alert rules, chats and a webhook that is off. Resolves to the organization's id
 * once the service has drained.
 */
export async function seedSandbox(service: Service, clock: SteppedClock): Promise<string> {
  const people = await seedPeople(service)
  const { admin } = people
  const stages: Stage[] = []
  for (const agent of sandboxAgents)
    stages.push(await seedApplication(service, clock, admin, agent))
  const [first] = stages
  if (!first) throw new Error('expected an application')
  await seedMarks(service, people, stages)
  const overdue = await seedCases(service, people, first, clock.now())
  const erasure = await seedPrivacy(service, admin)
  const webhook = unwrap(
    await service.webhooks.create(admin, {
      url: 'https://receiver.example/events',
      eventTypes: ['*'],
      description: 'Turned off',
    }),
  )
  unwrap(await service.webhooks.turnOff(admin, { webhookId: webhook.id }))
  const alert = await seedAlertRules(service, admin, first)
  await seedKeyRequests(service, admin, first)
  await seedChannels(service, admin)
  // The first export makes the key that signs evidence.
  unwrap(await service.evidence.read(admin, { sessionId: first.sessionIds[0] ?? '' }))
  const end = clock.now() + 4 * hour
  service.start()
  clock.advance(3 * hour)
  await until(clock, 'the sandbox has settled', async () => {
    const review = unwrap(await service.reviewCases.read(admin, { reviewCaseId: overdue }))
    const request = unwrap(await service.erasureRequests.read(admin, { erasureRequestId: erasure }))
    const scores = unwrap(await service.scores.read(admin, { applicationId: first.applicationId }))
    const rule = unwrap(await service.alertRules.read(admin, { alertRuleId: alert }))
    return (
      review.overdueAt !== null &&
      request.status === 'completed' &&
      scores.computedAt !== null &&
      rule.state === 'triggered'
    )
  })
  await service.drain(drainMs)
  clock.advance(end - clock.now())
  return admin.tenantId
}

async function seedPeople(service: Service): Promise<People> {
  const person = (name: string) => ({
    name,
    email: `${name.toLowerCase().replace(' ', '.')}@sandbox.example`,
    password: 'no password opens this',
  })
  const { tenant, admin } = unwrap(
    await service.tenants.create(system, {
      name: 'Sandbox organization',
      plan: 'Enterprise',
      admin: person('Ada Admin'),
    }),
  )
  const reviewer = unwrap(
    await service.members.create(system, {
      tenantId: tenant.tenantId,
      ...person('Ruth Reviewer'),
      role: 'CustomerAuditor',
      permissions: ['Review Cases', 'Manage Integrations'],
    }),
  )
  unwrap(
    await service.members.create(system, {
      tenantId: tenant.tenantId,
      ...person('Otto Auditor'),
      role: 'CustomerAuditor',
      permissions: [],
    }),
  )
  const { tenantId } = tenant
  return { admin: actorOf(tenantId, admin), reviewer: actorOf(tenantId, reviewer) }
}

function actorOf(tenantId: string, { memberId, role, permissions }: MemberView): MemberActor {
  return { kind: 'member', tenantId, memberId, role, permissions }
}

async function seedApplication(
  service: Service,
  clock: SteppedClock,
  admin: MemberActor,
  agent: SandboxAgent,
): Promise<Stage> {
  const { tenantId } = admin
  const { applicationId } = unwrap(
    await service.applications.create(admin, {
      name: agent.application,
      description: 'An application of the sandbox',
      settings: { governanceThreshold: 60 },
    }),
  )
  const { keyId } = unwrap(
    await service.applicationKeys.create(admin, { applicationId, label: 'sandbox' }),
  )
  const owner = { tenantId, applicationId, type: 'primary ingest' } as const
  const key = unwrap(await service.customerKeys.provision(system, owner))
  unwrap(
    await service.policyRules.set(admin, {
      applicationId,
      ruleSetVersion: 0,
      rules: [
        {
          name: 'Large amounts need a person',
          match: {
            toolNames: [agent.tool],
            attributes: [{ key: 'amount', op: 'gt', value: 1500 }],
          },
          effect: 'require_review',
          reviewTier: 'high',
        },
        {
          name: 'Nothing is deleted or closed',
          match: { toolNames: [agent.denied.tool] },
          effect: 'deny',
          severity: 'critical',
        },
      ],
    }),
  )
  const sessions = Array.from({ length: sessionsPerAgent }, (_, number) =>
    sandboxSession(agent, number, clock.now()),
  )
  const backend: CustomerKeyActor = {
    ...{ kind: 'customerKey', ...owner, keyId: key.keyId },
    ratePerMinute: null,
  }
  unwrap(
    await service.ingest.submit(backend, {
      batchId: `${agent.agent.name}-1`,
      merkleRoot: rootOf(sessions),
      sessions,
    }),
  )
  clock.advance(60_000)
  return {
    applicationId,
    application: { kind: 'application', tenantId, applicationId, keyId },
    sessionIds: sessions.map(({ sessionId }) => sessionId),
    agent,
  }
}

function rootOf(sessions: readonly object[]): string {
  const utf8 = new TextEncoder()
  const leaves = sessions.map((session) => leafHash(utf8.encode(canonicalize(session))))
  return Buffer.from(merkleTree(leaves).root).toString('hex')
}

async function seedMarks(
  service: Service,
  { admin, reviewer }: People,
  stages: readonly Stage[],
): Promise<void> {
  const { annotations, flags, sessionReviews } = service
  for (const { sessionIds } of stages) {
    const [first = '', second = '', third = '', fourth = ''] = sessionIds
    unwrap(
      await flags.raise(reviewer, { sessionId: first, flag: 'quality', note: 'Slow to answer.' }),
    )
    const safety = { flag: 'safety', severity: 'critical' } as const
    const { flagId } = unwrap(await flags.raise(reviewer, { sessionId: second, ...safety }))
    unwrap(await flags.clear(admin, { sessionId: second, flagId }))
    const note = { text: 'The tool was called once.', stepId: 's3', label: 'checked' }
    unwrap(await annotations.create(reviewer, { sessionId: third, ...note }))
    unwrap(await sessionReviews.create(reviewer, { sessionId: third, decision: 'approved' }))
    const rejected = { decision: 'rejected', comment: 'The amount was wrong.' } as const
    unwrap(await sessionReviews.create(admin, { sessionId: fourth, ...rejected }))
  }
}

/** A case in each state. Answers with the id of the one that becomes overdue. */
async function seedCases(
  { reviewCases }: Service,
  { admin, reviewer }: People,
  { application, sessionIds, agent }: Stage,
  now: number,
): Promise<string> {
  let opened = 0
  const open = async (more: Partial<OpenCase> = {}): Promise<CaseView> => {
    const number = ++opened
    return unwrap(
      await reviewCases.open(application, {
        sessionId: sessionIds[number % sessionIds.length] ?? '',
        checkpointId: `by-hand-${number}`,
        reasonCategory: 'high_risk_action',
        presentation: { action: agent.tool, ...agent.call(number) },
        idempotencyKey: `sandbox-${number}`,
        ...more,
      }),
    )
  }
  const claimed = async (more?: Partial<OpenCase>): Promise<CaseView> =>
    unwrap(await reviewCases.claim(reviewer, { reviewCaseId: (await open(more)).reviewCaseId }))
  const decide = async (decision: 'approved' | 'rejected', comment: string): Promise<string> => {
    const { reviewCaseId, caseVersion, presentationDigest } = await claimed()
    const word = { presentationDigest: presentationDigest ?? '', decision, comment }
    unwrap(await reviewCases.decide(reviewer, { reviewCaseId, caseVersion, ...word }))
    return reviewCaseId
  }

  await open()
  await claimed()
  const { reviewCaseId, caseVersion } = await claimed({ reasonCategory: 'sensitive_data' })
  const question = { caseVersion, question: 'Which order is this for?' }
  unwrap(await reviewCases.requestFollowUp(reviewer, { reviewCaseId, ...question }))
  const approved = await decide('approved', 'The order is known.')
  unwrap(
    await reviewCases.reportContinuation(application, {
      reviewCaseId: approved,
      outcome: 'resumed',
    }),
  )
  await decide('rejected', 'Too much.')
  const { caseVersion: seen, ...dropped } = await open()
  const withdrawn = { caseVersion: seen, reasonCategory: 'safer_alternative_completed' } as const
  unwrap(await reviewCases.cancel(admin, { reviewCaseId: dropped.reviewCaseId, ...withdrawn }))
  await open({ reviewTier: 'urgent', dueAt: now + hour, expiresAt: now + 2 * hour })
  const overdue = await claimed({ dueAt: now + hour, expiresAt: now + 30 * 24 * hour })
  return overdue.reviewCaseId
}

/** A hold on one customer, and the erasure of another. Answers with the id of the latter. */
async function seedPrivacy(
  { erasureRequests, legalHolds }: Service,
  admin: MemberActor,
): Promise<string> {
  const hold = { dataSubjectId: 'customer-3', matter: 'Matter 2026-17' }
  unwrap(await legalHolds.place(admin, hold))
  const request = {
    dataSubjectId: 'customer-8',
    reason: 'consent_withdrawn',
    confirm: true,
  } as const
  return unwrap(await erasureRequests.create(admin, request)).erasureRequestId
}

const drainMs = 5_000
const tries = 1_000
const pauseMs = 10

/** Waits for what the service does by itself, a second of its clock at a time. */
async function until(
  clock: SteppedClock,
  what: string,
  holds: () => Promise<boolean>,
): Promise<void> {
  for (let at = 0; at < tries; at++) {
    if (await holds()) return
    clock.advance(1_000)
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
  throw new Error(`expected that ${what} within ${(tries * pauseMs) / 1_000} s`)
}
