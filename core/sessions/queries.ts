import type { Read, Versioned } from '../base/ports/store.ts'
import {
  erasingIn,
  markedReader,
  marksOf,
  shownSession,
  shownStep,
} from '../content/erasure-marks.ts'
import { findSession } from '../content/find-session.ts'
import { type StoredSession, type StoredStep, steps } from '../content/records.ts'
import { type Anchor, anchors, batches, seals } from '../content/seal-records.ts'
import type { AnchorView, SessionView, StepView } from '../content/view.ts'
import { authorizeCustomerKey, authorizeMember } from '../kernel/callers/authorize.ts'
import { planOf } from '../kernel/callers/plans.ts'
import { isoTime } from '../kernel/ledger/iso-time.ts'
import { most, usualRatePerMinute } from '../kernel/ledger/limits.ts'
import {
  checkListQuery,
  checkPosition,
  countOf,
  type ListSource,
  listingOf,
} from '../kernel/ledger/listing.ts'
import { readPart } from '../kernel/ledger/read-part.ts'
import { get, list, one } from '../kernel/ledger/reads.ts'
import { ok, type Result, refuse } from '../kernel/ledger/refusal.ts'
import { readAs } from '../organizations/access/read-as.ts'
import { tenants } from '../organizations/access/records.ts'
import { reviewCases } from '../review/records.ts'
import type { IngestDeps } from './deps.ts'
import { anchorView, batchView, proofView, sessionView, stepView } from './present.ts'
import { readQuota } from './quota.ts'
import { contentOf, readPayloads, readStepPayload } from './read-content.ts'
import type { IngestUseCases } from './use-cases.ts'

type Queries = Omit<
  IngestUseCases,
  'acceptExport' | 'acceptSpans' | 'submit' | 'acceptSubmission' | 'listSessions'
>

/** Steps that one read brings. */
const piece = 50

export function createQueries(deps: IngestDeps): Queries {
  const { ledger } = deps

  async function located(
    actor: Parameters<Queries['readSession']>[0],
    sessionId: string,
    applicationId: string | null,
  ): Promise<Result<Versioned<StoredSession>>> {
    const member = authorizeMember(actor, 'readSessions')
    if (!member.ok) return member
    const { tenantId } = member.value
    const reader = { read: (reads: readonly Read[]) => ledger.read(tenantId, reads) }
    return findSession(reader, member.value, sessionId, applicationId)
  }

  return {
    async readSession(actor, sessionId, { applicationId = null } = {}) {
      const member = authorizeMember(actor, 'readSessions')
      if (!member.ok) return member
      const { tenantId } = member.value
      // Before the row: an erasure that ends in between has blanked it.
      const [marked] = await ledger.read(tenantId, [marksOf(tenantId)])
      const found = await located(actor, sessionId, applicationId)
      if (!found.ok) return found
      const row = shownSession(erasingIn(marked), found.value.row, [])
      const [view] = await sessionViews(deps, row.tenantId, [row])
      return ok({ ...(view as SessionView), metadata: await metadataOf(deps, row) })
    },
    async listSteps(actor, sessionId, query, { applicationId = null } = {}) {
      const asked = checkListQuery(query)
      const member = authorizeMember(actor, 'readSessions')
      if (!member.ok) return member
      const found = await located(actor, sessionId, applicationId)
      if (!found.ok) return found
      if (!asked.ok) return asked
      const { row } = found.value
      const source: ListSource<StoredStep, StepView> = {
        collection: steps,
        where: [
          ['tenantId', '=', row.tenantId],
          ['applicationId', '=', row.applicationId],
          ['sessionId', '=', row.sessionId],
        ],
        by: 'bySession',
        newest: false,
        cursor: 'place',
        piece,
        tell: (rows) =>
          rows.map((step) => stepView(shownStep(marked.erasing(), row, step.row), null)),
      }
      const marked = markedReader(readAs(ledger, member.value, 'readSessions'), row.tenantId)
      const [counted] = await ledger.read(row.tenantId, [countOf(source)])
      return ok(listingOf(source, query, counted, marked.read))
    },
    async readStep(actor, sessionId, stepId, { applicationId = null } = {}) {
      const found = await located(actor, sessionId, applicationId)
      if (!found.ok) return found
      const { row } = found.value
      const scope = row.origin === 'submission' ? row.sessionId : ''
      const [foundStep, marked] = await ledger.read(row.tenantId, [
        get(steps, [row.tenantId, row.applicationId, scope, stepId]),
        marksOf(row.tenantId),
      ])
      const stored = one(steps, foundStep)?.row
      if (stored?.sessionId !== row.sessionId) return refuse('not_found', 'no such step')
      const step = shownStep(erasingIn(marked), row, stored)
      return ok(stepView(step, await readStepPayload(deps, row, step)))
    },
    async readProof(actor, sessionId, { applicationId = null } = {}) {
      const found = await located(actor, sessionId, applicationId)
      if (!found.ok) return found
      const { tenantId, applicationId: owner, sessionId: id } = found.value.row
      const [foundSeal] = await ledger.read(tenantId, [
        list(seals, {
          where: [
            ['tenantId', '=', tenantId],
            ['applicationId', '=', owner],
            ['sessionId', '=', id],
          ],
          newest: true,
          take: 1,
        }),
      ])
      const seal = one(seals, foundSeal)?.row
      const [foundBatch] = seal
        ? await ledger.read(tenantId, [get(batches, [tenantId, owner, seal.batchId])])
        : []
      const batch = one(batches, foundBatch)?.row
      if (!seal || !batch) return refuse('not_sealed', 'the session is not sealed yet')
      const { anchorSequence } = batch
      const [foundAnchor] =
        anchorSequence === null
          ? []
          : await ledger.read(tenantId, [get(anchors, [tenantId, anchorSequence])])
      return ok(proofView(found.value.row, seal, batch, one(anchors, foundAnchor)?.row ?? null))
    },
    async listAnchors(actor, query) {
      const member = authorizeMember(actor, 'readSessions')
      if (!member.ok) return member
      const asked = checkListQuery(query)
      if (!asked.ok) return asked
      const { tenantId } = member.value
      const source: ListSource<Anchor, AnchorView> = {
        collection: anchors,
        where: [['tenantId', '=', tenantId]],
        by: 'key',
        newest: true,
        cursor: 'sequence',
        piece: most.pageSize + 1,
        tell: (rows) =>
          rows.map(({ row }) => anchorView({ nonce: null, commitment: row.commitment }, row)),
      }
      const position = checkPosition(query)
      if (!position.ok) return position
      return ok(await readPart(source, query, (reads) => ledger.read(tenantId, reads)))
    },
    async readUsage(actor) {
      const key = authorizeCustomerKey(actor, 'readIngest')
      if (!key.ok) return key
      const { tenantId, applicationId, keyId, type, ratePerMinute } = key.value
      const quota = await readQuota(deps, tenantId, deps.clock.now())
      return ok({
        applicationId,
        keyId,
        type,
        ratePerMinute: ratePerMinute ?? usualRatePerMinute,
        sessionsUsed: quota.used,
        sessionsPerMonth: quota.limit,
        periodEnd: isoTime(quota.periodEnd),
      })
    },
    async readBatch(actor, batchId) {
      const key = authorizeCustomerKey(actor, 'readIngest')
      if (!key.ok) return key
      const { tenantId, applicationId } = key.value
      const [found] = await ledger.read(tenantId, [
        get(batches, [tenantId, applicationId, batchId]),
      ])
      const batch = one(batches, found)?.row
      return batch ? ok(batchView(batch)) : refuse('not_found', 'no such batch')
    },
  }
}

/** Sessions as they are told, without their metadata. */
export async function sessionViews(
  { ledger }: Pick<IngestDeps, 'ledger'>,
  tenantId: string,
  rows: readonly StoredSession[],
): Promise<readonly SessionView[]> {
  const [foundTenant, ...counts] = await ledger.read(tenantId, [
    get(tenants, [tenantId]),
    ...rows.map(({ applicationId, sessionId }) =>
      list(reviewCases, {
        by: 'byCheckpoint',
        where: [
          ['tenantId', '=', tenantId],
          ['applicationId', '=', applicationId],
          ['sessionId', '=', sessionId],
          ['state', '=', 'open'],
        ],
        take: 0,
        count: true,
      }),
    ),
  ])
  const { retentionDays } = planOf(one(tenants, foundTenant)?.row)
  return rows.map((row, at) =>
    sessionView(row, {
      openReviewCases: counts[at]?.total ?? 0,
      metadata: null,
      retentionDays,
    }),
  )
}

async function metadataOf(deps: IngestDeps, session: StoredSession): Promise<unknown> {
  const payloads = session.payloads.filter(({ field }) => field === 'metadata')
  const [text] = await readPayloads(deps, session, null, payloads)
  return typeof text === 'string' ? contentOf(text).content : null
}
