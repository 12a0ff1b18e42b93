import { commit } from '@countersign/core/ledger'
import {
  createManualClock,
  createMemoryStore,
  plainSealer,
  seededRandom,
} from '@countersign/core/testing'
import { applicationOf } from '../../applications/load.ts'
import { type Application, applications } from '../../applications/records.ts'
import type { AnyEvent } from '../../base/events/envelope.ts'
import { atOnce, createSlices, inSlices } from '../../base/json/in-slices.ts'
import type { Collection, Versioned } from '../../base/ports/store.ts'
import { openGroups } from '../../kernel/facade.ts'
import { createLedger, type UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { put } from '../../kernel/ledger/reads.ts'
import { createPost } from '../../kernel/mail/post.ts'
import { createKernelPorts } from '../../kernel-ports.ts'
import { noIntake } from '../../outbox/kind.ts'
import { messages } from '../../outbox/records.ts'
import { type Consequences, consequenceReads, consequencesOf } from '../../policies/consequences.ts'
import { ingestRuleOperations } from '../../policies/ingest-rules.ts'
import type { Judged } from '../../policies/judged.ts'
import { policyRuleOperations } from '../../policies/policy-rules.ts'
import { redactionPolicyOperations } from '../../policies/redaction-policies.ts'
import { judgeStep } from '../../policies/rules/judge.ts'
import { compileRule } from '../../policies/rules/match.ts'
import type { PolicyRule, StepFacts } from '../../policies/rules/shapes.ts'
import { scoreOperations } from '../../policies/scores/read-scores.ts'
import { annotationOperations } from '../../policies/sessions/annotations.ts'
import { flagOperations } from '../../policies/sessions/flags.ts'
import { sessionReviewOperations } from '../../policies/sessions/reviews.ts'
import { withDeliveries } from '../../review/execution/change-set.ts'
import { type Scene, sceneFrom } from '../../review/execution/scene.ts'
import { reviewCases } from '../../review/records.ts'
import { collections, logs } from '../../rooms.ts'
import type { Routing } from '../../webhooks/records.ts'
import { routings } from '../../webhooks/records.ts'
import { routingOf } from '../../webhooks/routing/fan-out.ts'
import { sessionFacts, stepFacts } from './facts.ts'

export const start = Date.UTC(2026, 0, 1)
export const place = { tenantId: 'ten_1', applicationId: 'app_1' } as const
export const session = { ...place, sessionId: 'session-1' } as const

const application: Application = {
  ...place,
  name: 'Claims',
  stage: 'production',
  lifecycleState: 'active',
  outcomeCallback: null,
  version: 1,
  createdAt: start,
  updatedAt: start,
}

/** A webhook that takes every event, so that each event is a message of the store. */
const routing: Routing = {
  tenantId: place.tenantId,
  routes: [{ webhookId: 'wh_1', receiving: true, generation: 1, eventTypes: ['*'] }],
  channels: [],
  changedAt: 0,
  horizon: 0,
  floor: null,
  latestMark: 0,
}

/** An application and a webhook on the memory store, and a stand-in for ingest. */
export async function createWorld() {
  const clock = createManualClock(start)
  const random = seededRandom(1)
  const store = createMemoryStore({ collections, logs })
  const sealer = plainSealer()
  const ledger = createLedger({ store, clock, random })
  const host = { ingestUrl: 'https://ingest.test', intake: noIntake, sealer }
  await store.commit({
    tenant: null,
    puts: [put(applications, application, null), put(routings, routing, null)],
  })

  const rows = <R extends object>(collection: Collection<R>): readonly Versioned<R>[] =>
    store.rows(collection as unknown as Collection) as unknown as readonly Versioned<R>[]

  async function sceneOf(unit: UnitOfWork): Promise<Scene> {
    const [routed, applied] = await unit.read([
      routingOf(place.tenantId),
      applicationOf(place.tenantId, place.applicationId),
    ])
    return sceneFrom(unit, routed, applied)
  }

  /** Commits the consequences of what was judged, as ingest does with its steps. */
  async function enact(judged: readonly Judged[]): Promise<Consequences> {
    const done = await ledger.execute<Consequences>(place.tenantId, async (unit) => {
      const scene = await sceneOf(unit)
      const found = await unit.read(consequenceReads(session, judged))
      const slices = createSlices()
      const entailing = consequencesOf(host, scene, session, judged, found, slices)
      const entailed = await inSlices(entailing, async () => {})
      return commit(withDeliveries(host, scene, place.tenantId, entailed), entailed)
    })
    if (!done.ok) throw new Error(JSON.stringify(done.refusal))
    return done.value
  }

  return {
    ...{ clock, random, store, sealer, ledger, host, rows, sceneOf, enact },
    /** The methods of the room's groups. */
    service: openGroups(
      {
        annotations: annotationOperations,
        flags: flagOperations,
        ingestRules: ingestRuleOperations,
        policyRules: policyRuleOperations,
        redactionPolicies: redactionPolicyOperations,
        scores: scoreOperations,
        sessionReviews: sessionReviewOperations,
      },
      createKernelPorts({ ledger, intake: noIntake, post: createPost({ sealer }) }),
      host,
    ),
    cases: () => rows(reviewCases).map(({ row }) => row),
    /** Every event that was sent, in the order of its message id. */
    events: () =>
      rows(messages).map(({ row }) => JSON.parse(new TextDecoder().decode(row.body)) as AnyEvent),
  }
}

/** A step judged by these rules, with two sealed payloads. */
export function judgedBy(
  rules: readonly PolicyRule[],
  given: Partial<StepFacts> = {},
  now: number = start,
): Judged {
  const step = stepFacts(given)
  return {
    judgement: atOnce(judgeStep(rules.map(compileRule), step, sessionFacts(), now, createSlices())),
    step,
    payloads: [{ field: 'input', bytes: 12, digest: 'a'.repeat(64) }],
  }
}
