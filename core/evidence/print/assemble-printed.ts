import type { Found, Read } from '../../base/ports/store.ts'
import type { StoredPayload } from '../../content/payload-records.ts'
import type { SessionKey, StoredStep } from '../../content/records.ts'
import { evidenceLimits } from '../../kernel/ledger/limits.ts'
import { ok, type Result, refuse } from '../../kernel/ledger/refusal.ts'
import { sizeOf } from '../../review/machine/case-size.ts'
import type { PlacedPayload } from '../../sessions/open-bundle.ts'
import { stepView } from '../../sessions/present.ts'
import { contentOf } from '../../sessions/read-content.ts'
import { mostTries } from '../assemble/assemble.ts'
import { openPayloads } from '../assemble/contents.ts'
import { createSums, type OpenSums, outlineOf } from '../assemble/document.ts'
import { readFacts, readSteps } from '../assemble/facts.ts'
import { sealedAs } from '../assemble/integrity.ts'
import type { EvidenceDeps } from '../deps.ts'
import type { PrintedEvidence, PrintedField, PrintedStep } from '../outputs.ts'
import { printedCase, printedField, printedNames } from './printed-evidence.ts'

/**
 * A session's evidence as it is printed. Steps are read page by page and contents bundle by bundle, and only the
 * printed part of each is kept. Refuses as `assembleEvidence`; `busy` also while the session changes as it is read.
 */
export async function assemblePrinted(
  deps: EvidenceDeps,
  key: SessionKey,
): Promise<Result<PrintedEvidence>> {
  const read = (reads: readonly Read[]) => deps.ledger.read(key.tenantId, reads)
  for (let tries = 0; tries < mostTries; tries++) {
    const drafts = await readDrafts(deps, read, key)
    if (drafts === null) continue
    const printed = await complete(deps, read, key, drafts)
    if (printed) return printed
  }
  return refuse('busy', 'the session kept changing while it was read', { retryAfter: 1 })
}

/** A step whose content is read after it. */
type Draft = { -readonly [Member in keyof PrintedStep]: PrintedStep[Member] }

interface Drafts {
  /** Null for a session without steps, or that is gone. */
  readonly moment: string | null
  readonly steps: ReadonlyMap<string, Draft>
  /** Ids of those that have payloads, of which none was read. */
  readonly unread: Set<string>
  readonly placed: readonly PlacedPayload[]
  readonly subjects: ReadonlySet<string>
  readonly sums: OpenSums
}

/** All steps without their content; null where the session changed between two pages. */
async function readDrafts(
  { pause }: Pick<EvidenceDeps, 'pause'>,
  read: (reads: readonly Read[]) => Promise<readonly Found[]>,
  key: SessionKey,
): Promise<Drafts | null> {
  const steps = new Map<string, Draft>()
  const unread = new Set<string>()
  const placed: PlacedPayload[] = []
  const subjects = new Set<string>()
  const sums = createSums()
  const shared = sharedTexts()
  let first: string | null = null
  for await (const { moment, page } of readSteps(read, key)) {
    first ??= moment
    if (moment !== first) return null
    for (const step of page) {
      steps.set(step.stepId, draftOf(step, shared))
      sums.add(step)
      if (step.payloads.length > 0) unread.add(step.stepId)
      for (const payload of step.payloads) {
        subjects.add(payload.subject)
        placed.push({ stepId: step.stepId, payload: withSharedTexts(payload, shared) })
      }
    }
    await pause()
  }
  return { moment: first, steps, unread, placed, subjects, sums }
}

/** Reads what remains, and the contents; null where the session changed. */
async function complete(
  deps: EvidenceDeps,
  read: (reads: readonly Read[]) => Promise<readonly Found[]>,
  key: SessionKey,
  { moment, steps, unread, placed, subjects, sums }: Drafts,
): Promise<Result<PrintedEvidence> | null> {
  const views = [...steps.values()]
  const facts = await readFacts({ vault: deps.vault, read }, key, { named: views, subjects })
  if (!facts) return refuse('not_found', 'no such session')
  if (moment !== null && moment !== facts.moment) return null
  const { session } = facts
  // A submission is content of its steps, which are read themselves.
  const own = session.payloads.map((payload) => ({ stepId: null, payload }))
  const all = [...own, ...placed]
  const written = facts.cases.reduce((sum, review) => sum + sizeOf(review), 0)
  const bytes = all.reduce((sum, { payload }) => sum + payload.length, written)
  if (!facts.whole || bytes > evidenceLimits.contentBytes)
    return refuse(
      'evidence_too_large',
      `the session holds ${steps.size} steps and ${bytes} bytes of content; one document takes ${evidenceLimits.contentBytes} bytes`,
    )
  const printed = new Set(views.slice(0, evidenceLimits.printedSteps).map(({ stepId }) => stepId))
  const opened = await openPayloads({ ...deps, read }, facts, all, ({ stepId, payload }, text) => {
    if (text === null) {
      sums.addErased(payload.subject)
      if (payload.field === 'metadata') sums.addUnreadable()
    }
    const draft = stepId === null ? undefined : steps.get(stepId)
    if (!draft) return
    if (text === null) return
    unread.delete(draft.stepId)
    const name = printedNames.find((each) => each === payload.field)
    if (!name || !printed.has(draft.stepId)) return
    const field = printedField(name, contentOf(text).content)
    draft.content = [...(draft.content ?? []), ...(field ? [field] : [])]
  })
  if (opened === null) return null
  for (const step of views) {
    if (unread.has(step.stepId)) step.payloadStatus = 'erased'
    if (step.content) step.content = inOrder(step.content)
    sums.addStatus(step.payloadStatus)
  }
  const { reviewCases, ...outline } = outlineOf(facts, sums, deps)
  return ok({
    ...outline,
    steps: views,
    reviewCases: reviewCases.map(printedCase),
    integrity: sealedAs(facts),
  })
}

type Shared = (text: string) => string

function draftOf(step: StoredStep, shared: Shared): Draft {
  const { payload: _, ...view } = stepView(step, null)
  // V8 lays out parsed objects alike; built from shapes, each would have a layout of its own and take four times as much.
  const draft = JSON.parse(JSON.stringify({ ...view, content: null })) as Draft
  const sharedOrNull = (text: string | null) => (text === null ? null : shared(text))
  draft.parentStepId = sharedOrNull(view.parentStepId)
  draft.name = shared(view.name)
  draft.model = sharedOrNull(view.model)
  draft.toolName = sharedOrNull(view.toolName)
  draft.dataSubjectId = sharedOrNull(view.dataSubjectId)
  return draft
}

function inOrder(fields: readonly PrintedField[]): readonly PrintedField[] {
  return printedNames.flatMap((name) => fields.find((field) => field.name === name) ?? [])
}

function withSharedTexts(payload: StoredPayload, shared: Shared): StoredPayload {
  return {
    ...payload,
    bundleId: shared(payload.bundleId),
    subject: shared(payload.subject),
    sealedFor: shared(payload.sealedFor),
    // Nothing that is printed is checked against it.
    digest: '',
  }
}

/** Makes equal texts one in memory. */
function sharedTexts(): Shared {
  const known = new Map<string, string>()
  return (text) => {
    const same = known.get(text)
    if (same !== undefined) return same
    known.set(text, text)
    return text
  }
}
