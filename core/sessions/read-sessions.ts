import type { Read } from '../base/ports/store.ts'
import {
  erasingIn,
  markedReader,
  marksOf,
  shownSession as shownWhile,
  shownStep as stepWhile,
} from '../content/erasure-marks.ts'
import { namedSession } from '../content/find-session.ts'
import { ofSession, type StoredSession, type StoredStep, steps } from '../content/records.ts'
import { anchors, batches, seals } from '../content/seal-records.ts'
import {
  ofOneSession,
  proofShape,
  type SessionView,
  type StepView,
  sessionShape,
  shownStep,
  stepShape,
} from '../content/view.ts'
import { planOf } from '../kernel/callers/plans.ts'
import { countOf, type ListSource, listingOf } from '../kernel/ledger/listing.ts'
import { get, list, one } from '../kernel/ledger/reads.ts'
import { operationsWith } from '../kernel/operation.ts'
import type { Lookup } from '../kernel/unit.ts'
import { readAs } from '../organizations/access/read-as.ts'
import { tenants } from '../organizations/access/records.ts'
import { reviewCases } from '../review/records.ts'
import { proofView, sessionView, stepView } from './present.ts'
import { contentOf, type PayloadDeps, readPayloads, readStepPayload } from './read-content.ts'

const { reading, stream } = operationsWith<PayloadDeps>()

/** Steps that one read brings. */
const piece = 50

/** One session, with its metadata. */
export const readSession = reading({
  name: 'sessions.read',
  doc: 'Read a session',
  right: 'readSessions',
  takes: ofOneSession,
  gives: sessionShape,
  refuses: ['not_found', 'ambiguous_session'],
  async run(lookup, named) {
    const { session, erasing } = await namedSession(lookup, named)
    const row = shownWhile(erasing, session.row, [])
    const [view] = await sessionViews(lookup.read, row.tenantId, [row])
    const payloads = row.payloads.filter(({ field }) => field === 'metadata')
    const [text] = await readPayloads(lookup.tools, row, null, payloads)
    const metadata = typeof text === 'string' ? contentOf(text).content : null
    return { ...(view as SessionView), metadata }
  },
})

/** A session's steps in order, without content; rows are read as they are asked for. */
export const listSteps = stream({
  name: 'sessions.listSteps',
  doc: "List a session's steps in order, without content",
  right: 'readSessions',
  filter: ofOneSession,
  items: 'steps',
  item: stepShape,
  refuses: ['not_found', 'ambiguous_session'],
  async open(lookup, named, query) {
    const { row } = (await namedSession(lookup, named)).session
    const { by, tools } = lookup
    const marked = markedReader(readAs(tools.ledger, by, 'readSessions'), by.tenantId)
    const source: ListSource<StoredStep, StepView> = {
      collection: steps,
      where: ofSession(row),
      by: 'bySession',
      newest: false,
      cursor: 'place',
      piece,
      tell: (rows) =>
        rows.map((step) => stepView(stepWhile(marked.erasing(), row, step.row), null)),
    }
    const [counted] = await lookup.read([countOf(source)])
    return listingOf(source, query, counted, marked.read)
  },
})

/** One step with its content. */
export const readStep = reading({
  name: 'sessions.readStep',
  doc: 'Read a step with its content',
  right: 'readSessions',
  takes: { ...ofOneSession, stepId: shownStep.stepId },
  gives: stepShape,
  refuses: ['not_found', 'ambiguous_session'],
  async run(lookup, { stepId, ...named }) {
    const { row } = (await namedSession(lookup, named)).session
    const { tenantId, applicationId } = row
    const scope = row.origin === 'submission' ? row.sessionId : ''
    const [found, marked] = await lookup.read([
      get(steps, [tenantId, applicationId, scope, stepId]),
      marksOf(tenantId),
    ])
    const stored = one(steps, found)?.row
    if (stored?.sessionId !== row.sessionId) return lookup.refuse('not_found', 'no such step')
    const step = stepWhile(erasingIn(marked), row, stored)
    return stepView(step, await readStepPayload(lookup.tools, row, step))
  },
})

/** The proof that a session lies in a sealed batch. */
export const proveSession = reading({
  name: 'sessions.proof',
  doc: 'Prove that a session is sealed under a Merkle root',
  right: 'readSessions',
  takes: ofOneSession,
  gives: proofShape,
  refuses: ['not_found', 'ambiguous_session', 'not_sealed'],
  async run(lookup, named) {
    const { row } = (await namedSession(lookup, named)).session
    const { tenantId, applicationId } = row
    const [found] = await lookup.read([
      list(seals, { where: ofSession(row), newest: true, take: 1 }),
    ])
    const seal = one(seals, found)?.row
    const { batch } = seal
      ? await lookup.ask({ batch: batches.get(tenantId, applicationId, seal.batchId) })
      : { batch: null }
    if (!seal || !batch) return lookup.refuse('not_sealed', 'the session is not sealed yet')
    const { anchorSequence } = batch.row
    const { anchor } =
      anchorSequence === null
        ? { anchor: null }
        : await lookup.ask({ anchor: anchors.get(tenantId, anchorSequence) })
    return proofView(row, seal, batch.row, anchor?.row ?? null)
  },
})

/** Sessions without their metadata. */
export async function sessionViews(
  read: Lookup<null, never>['read'],
  tenantId: string,
  rows: readonly StoredSession[],
): Promise<readonly SessionView[]> {
  const [foundTenant, ...counts] = await read([
    get(tenants, [tenantId]),
    ...rows.map(
      (row): Read =>
        list(reviewCases, {
          by: 'byCheckpoint',
          where: [...ofSession(row), ['state', '=', 'open']],
          take: 0,
          count: true,
        }),
    ),
  ])
  const { retentionDays } = planOf(one(tenants, foundTenant)?.row)
  return rows.map((row, at) =>
    sessionView(row, { openReviewCases: counts[at]?.total ?? 0, retentionDays }),
  )
}
