import { createHash } from 'node:crypto'
import { RefusedError, type StreamedFile } from '@countersign/core'
import type { Result } from '@countersign/core/ledger'
import { type Application, applications } from '../../../../applications/records.ts'
import { canonicalize } from '../../../../base/canonical/canonicalize.ts'
import { sessions } from '../../../../content/records.ts'
import { evidencePackages } from '../../../../evidence/packages/records.ts'
import { keyRequests } from '../../../../keys/requests/records.ts'
import { tenants } from '../../../../organizations/access/records.ts'
import { type CustomerKey, customerKeys } from '../../../../organizations/api-keys/key-records.ts'
import { legalHolds } from '../../../../removal/erasure/records.ts'
import { purges } from '../../../../removal/lifecycle/records.ts'
import { reviewCases } from '../../../../review/records.ts'
import { span, spanOf, traceOf } from '../../../sessions/world.ts'
import { day, hour, start } from '../../erasure/world.ts'
import type { Act, Done } from './draw.ts'
import { type HistoryWorld, type Organization, ops, type Sender, system } from './world.ts'

/** Who acts, on what. */
interface Scene {
  readonly w: HistoryWorld
  readonly done: Done
  readonly act: Act
  readonly owner: Organization
  readonly sender: Sender
}

function nth<T>(of: number, all: readonly T[]): T | undefined {
  return all[of % Math.max(1, all.length)]
}

function applicationOf({ w, sender }: Scene): Application {
  const all = w.memory.rows(applications).map(({ row }) => row)
  const found = all.find(({ applicationId }) => applicationId === sender.applicationId)
  if (!found) throw new Error('an application has no tombstone')
  return found
}

/** Whether the own rows of an organization are being removed, or gone. */
export function isGoing(w: HistoryWorld, tenantId: string): boolean {
  const found = w.memory.rows(tenants).find(({ row }) => row.tenantId === tenantId)?.row
  return found?.deletedAt !== undefined || found?.deletion?.begunAt !== undefined
}

/** Codes of calls of an organization or application that goes meanwhile. */
const gone = ['authentication_required', 'not_found', 'application_gone', 'account_suspended']

const plays: Readonly<Record<Act['do'], (scene: Scene) => Promise<unknown>>> = {
  span: async (scene) => {
    const { w, done, act, owner, sender } = scene
    const actor = await w.expecting('a key', gone, ({ access }) =>
      access.authenticateCustomerKey(sender.secret),
    )
    if (!actor?.ok) return
    const was = applicationOf(scene).lifecycleState
    const trace = traceOf(1 + (act.of % 5))
    const spanId = spanOf(++done.count)
    const text = `text ${done.count} of ${act.subject}`
    const one = span({
      ...{ traceId: trace, spanId, input: text, dataSubjectId: act.subject },
      sessionId: act.whole ? `session-${act.of % 4}` : null,
      startedAt: start + (act.of % 7),
      endedAt: start + 10,
    })
    const taken = await w.expecting('a span', gone, ({ ingest }) =>
      ingest.acceptSpans(actor.value, { spans: [one], rejected: {} }),
    )
    if (taken?.ok && was !== 'active') w.problems.push(`a span is taken while ${was}`)
    if (taken && !taken.ok && was === 'active') w.problems.push('a span is refused while active')
    if (!taken?.ok || taken.value.accepted === 0) return
    const { applicationId } = sender
    const of = { tenantId: owner.tenantId, applicationId, sessionId: null, subject: act.subject }
    done.sent.push({ text, stepId: `${trace}-${spanId}`, ...of })
  },
  submit: async ({ w, done, act, owner, sender }) => {
    const actor = await w.expecting('a key', gone, ({ access }) =>
      access.authenticateCustomerKey(sender.secret),
    )
    if (!actor?.ok) return
    const number = ++done.count
    const at = new Date(start).toISOString()
    const texts = [`text ${number} of ${act.subject}`, `text ${number} of nobody`]
    const session = {
      ...{ sessionId: `sent-${number}`, startedAt: at, endedAt: at, status: 'completed' as const },
      steps: texts.map((input, place) => ({
        ...{ stepId: `step-${place}`, type: 'llm' as const, name: 'think', input },
        ...{ startedAt: at, endedAt: at, status: 'ok' as const },
        ...(place === 0 && act.subject ? { dataSubjectId: act.subject } : {}),
      })),
    }
    const leaf = createHash('sha256').update(Buffer.of(0)).update(canonicalize(session), 'utf8')
    const batch = { batchId: `batch-${number}`, merkleRoot: leaf.digest('hex') }
    const taken = await w.expecting('a submission', gone, ({ ingest }) =>
      ingest.submit(actor.value, { ...batch, sessions: [session] }),
    )
    if (!taken?.ok) return
    const { tenantId } = owner
    const { applicationId } = sender
    for (const [place, text] of texts.entries())
      done.sent.push({
        ...{ text, tenantId, applicationId, stepId: `step-${place}` },
        ...{ sessionId: session.sessionId, subject: place === 0 ? act.subject : null },
      })
  },
  case: async (scene) => {
    const { w, done, act, sender } = scene
    const was = applicationOf(scene).lifecycleState
    const session = nth(act.of, mine(scene))
    const opened = await w.expecting('the opening of a case', gone, ({ reviewCases: cases }) =>
      cases.open(sender.application, {
        ...{ sessionId: session?.sessionId ?? 'never', checkpointId: `checkpoint ${act.of % 3}` },
        ...{ reasonCategory: 'high_risk_action', presentation: { action: 'pay' } },
        idempotencyKey: `case ${++done.count}`,
      }),
    )
    if (opened?.ok && was !== 'active') w.problems.push(`a case is opened while ${was}`)
  },
  decide: async ({ w, act, owner }) => {
    const cases = w.memory.rows(reviewCases).filter(({ row }) => row.tenantId === owner.tenantId)
    const found = nth(act.of, cases)
    if (!found) return
    const { reviewCaseId } = found.row
    const codes = [...gone, 'case_expired', 'invalid_transition', 'version_conflict']
    const claimed = await w.expecting('a claim', codes, ({ reviewCases: all }) =>
      all.claim(owner.admin, { reviewCaseId }),
    )
    if (!claimed?.ok || !act.whole) return
    const { caseVersion, presentationDigest } = claimed.value
    await w.expecting('a decision', codes, ({ reviewCases: all }) =>
      all.decide(owner.admin, {
        reviewCaseId,
        caseVersion,
        presentationDigest: presentationDigest ?? '',
        decision: 'approved',
      }),
    )
  },
  hold: ({ w, act, owner, sender }) =>
    w.expecting('a hold', [...gone, 'purge_started', 'invalid_transition'], (service) =>
      service.legalHolds.place(owner.admin, {
        dataSubjectId: act.subject ?? 'alan',
        applicationId: act.whole ? null : sender.applicationId,
        matter: 'Case 12',
      }),
    ),
  release: async ({ w, act, owner }) => {
    const held = w.memory.rows(legalHolds).filter(({ row }) => row.active === 1)
    const found = nth(
      act.of,
      held.filter(({ row }) => row.tenantId === owner.tenantId),
    )
    if (!found) return
    await w.expecting('a release', gone, (service) =>
      service.legalHolds.release(owner.admin, { holdId: found.row.holdId, reason: 'settled' }),
    )
  },
  erase: async ({ w, done, act, owner, sender }) => {
    const subject = act.subject ?? 'alan'
    const before = [...done.sent]
    const asked = await w.expecting('an erasure', [...gone, 'purge_started'], (service) =>
      service.erasureRequests.create(owner.admin, {
        dataSubjectId: subject,
        applicationId: act.whole ? null : sender.applicationId,
        ...{ reason: 'objection', confirm: true },
      }),
    )
    const erasureRequestId = asked?.ok ? asked.value.erasureRequestId : null
    done.asked.push({ tenantId: owner.tenantId, subject, before, erasureRequestId })
  },
  pack: async ({ w, act, owner }) => {
    const applicationIds = owner.senders.map(({ applicationId }) => applicationId)
    await w.expecting(
      'a package',
      [...gone, 'plan_required'],
      async ({ evidencePackages }): Promise<Result<null>> => {
        const { admin } = owner
        const dataSubjectId = act.subject ?? 'alan'
        const started = await (act.subject
          ? evidencePackages.exportSubject(admin, { dataSubjectId })
          : evidencePackages.exportBulk(admin, { applicationIds }))
        const most = act.whole ? Number.POSITIVE_INFINITY : act.of
        return started.ok ? taken(started.value, most) : started
      },
    )
    const kept = nth(act.of, w.memory.rows(evidencePackages))
    if (kept?.row.tenantId !== owner.tenantId) return
    const isOld = kept.row.expiresAt <= w.now()
    await w.expecting(
      'a download',
      [...gone, 'plan_required', ...(isOld ? ['package_expired'] : [])],
      async ({ evidencePackages }): Promise<Result<null>> => {
        const copy = await evidencePackages.download(owner.admin, { packageId: kept.row.packageId })
        return copy.ok ? taken(copy.value) : copy
      },
    )
  },
  note: async (scene) => {
    const { w, act, owner, sender } = scene
    const session = nth(act.of, mine(scene))
    if (!session) return
    const { applicationId } = sender
    await w.expecting('a note', gone, ({ annotations }) =>
      annotations.create(owner.admin, {
        sessionId: session.sessionId,
        text: 'a note',
        applicationId,
      }),
    )
  },
  delete: async (scene) => {
    const { w, owner, sender } = scene
    const was = applicationOf(scene)
    const codes = [...gone, 'blocked_by_hold', 'purge_started']
    const asked = await w.expecting('a deletion', codes, ({ applications: all }) =>
      all.requestDeletion(owner.admin, { applicationId: sender.applicationId }),
    )
    const purgeAt = asked?.ok ? asked.value.deletion?.purgeAt : undefined
    if (purgeAt && was.deletion && Date.parse(purgeAt) !== was.deletion.purgeAt)
      w.problems.push('a deletion that is asked for again moves')
  },
  cancel: async (scene) => {
    const { w, owner, sender } = scene
    const was = applicationOf(scene)
    const codes = [...gone, 'not_pending', 'purge_started', 'invalid_transition']
    const back = await w.expecting('a cancel', codes, ({ applications: all }) =>
      all.cancelDeletion(owner.admin, { applicationId: sender.applicationId }),
    )
    if (!back?.ok) return
    const is = applicationOf(scene)
    const passing = { version: 0, updatedAt: 0, deletion: null, lifecycleState: 'active' } as const
    if (canonicalize({ ...was, ...passing }) !== canonicalize({ ...is, ...passing }))
      w.problems.push('a cancel does not restore the application')
  },
  deleteTenant: ({ w, owner }) =>
    w.expecting('the deletion of an organization', ['blocked_by_hold'], ({ tenants }) =>
      tenants.requestDeletion(ops, {
        tenantId: owner.tenantId,
        ticket: '4712',
        identity: { method: 'a call', verifiedBy: 'security', verifiedAt: start },
        authorizationForm: { sha256: '0'.repeat(64), signedBy: 'Ada', signedAt: start },
      }),
    ),
  cancelTenant: ({ w, owner }) =>
    w.expecting('its cancel', ['not_pending', 'purge_started'], ({ tenants }) =>
      tenants.cancelDeletion(ops, { tenantId: owner.tenantId }),
    ),
  suspend: ({ w, owner }) =>
    w.expecting('a suspension', gone, ({ tenants }) =>
      tenants.suspend(ops, { tenantId: owner.tenantId, reason: 'unpaid' }),
    ),
  resume: ({ w, owner }) =>
    w.expecting('its end', gone, ({ tenants }) =>
      tenants.resume(ops, { tenantId: owner.tenantId, reason: 'paid' }),
    ),
  promote: ({ w, act, owner, sender }) =>
    w.expecting('a promotion', [...gone, 'invalid_transition'], ({ applications: all }) =>
      all.promote(owner.admin, {
        applicationId: sender.applicationId,
        to: act.whole ? 'production' : 'staging',
      }),
    ),
  rotate: ({ w, owner }) =>
    w.expecting('a rotation', [...gone, 'already_rotating'], ({ tenantKeys }) =>
      tenantKeys.rotate(system, { tenantId: owner.tenantId }),
    ),
  issueKey: async (scene) => {
    const { w, owner, sender } = scene
    const was = applicationOf(scene).lifecycleState
    const made = await w.expecting('a key', [...gone, 'too_many_keys'], ({ customerKeys }) =>
      customerKeys.issue(owner.admin, { applicationId: sender.applicationId }),
    )
    if (made?.ok && was !== 'active') w.problems.push(`a key is issued while ${was}`)
  },
  revokeKey: async ({ w, act, owner }) => {
    const isTheirs = ({ row }: { readonly row: CustomerKey }) =>
      row.tenantId === owner.tenantId && row.type === 'secondary'
    const found = nth(act.of, w.memory.rows(customerKeys).filter(isTheirs))
    if (!found) return
    await w.expecting('a revocation', gone, ({ customerKeys }) =>
      customerKeys.revoke(owner.admin, { keyId: found.row.keyId }),
    )
  },
  askKey: ({ w, act, owner, sender }) => {
    const reason = 'another backend'
    const { applicationId } = sender
    return w.expecting('a key request', [...gone, 'request_pending'], ({ keyRequests: all }) =>
      act.whole
        ? all.submit(owner.admin, { action: 'issue-secondary-key', applicationId, reason })
        : all.submit(owner.admin, { action: 'rotate-tenant-key', reason }),
    )
  },
  keyStep: async ({ w, act, owner }) => {
    const found = nth(act.of, w.memory.rows(keyRequests))
    if (!found) return
    const { requestId, status, tenantId } = found.row
    const codes = [...gone, 'invalid_transition', 'reveal_expired', 'too_many_keys', 'forbidden']
    await w.expecting<unknown>('a step of a request', codes, async ({ keyRequests: all }) => {
      if (status === 'submitted') return all.approve(ops, { requestId })
      if (status === 'approved') return all.execute(ops, { requestId })
      return tenantId === owner.tenantId
        ? all.reveal(owner.admin, { requestId })
        : all.read(owner.admin, { requestId })
    })
  },
  network: async ({ w, act }) => {
    w.state.isUp = act.whole
  },
  break: async ({ w, act }) => {
    w.state.broken = nth(act.of, [null, 'list', 'remove', 'scrub'] as const) ?? null
  },
  die: async ({ w, act }) => {
    w.restart({ at: 10 + act.of * 3, when: act.whole ? 'before' : 'after' })
  },
  pass: ({ w, act }) => w.pass(nth(act.of, [1_000, 12_000, 70_000]) ?? 0),
  age: async ({ w, act }) => {
    w.jump(nth(act.of, [hour, 6 * hour, day, 7 * day, 8 * day]) ?? 0)
    await w.pass(12_000)
  },
  requeue: async ({ w, act }) => {
    const found = nth(act.of, w.memory.rows(purges))
    if (!found) return
    const { messageId } = found.row
    await w.expecting('a requeued purge', gone, ({ purgePoison }) =>
      purgePoison.requeue(ops, { messageId, note: 'mended' }),
    )
  },
}

/** Takes so many pieces of a file; a stream that is refused halfway ends with an error. */
async function taken(
  { pieces }: StreamedFile,
  most = Number.POSITIVE_INFINITY,
): Promise<Result<null>> {
  let count = 0
  try {
    for await (const _ of pieces) if (++count > most) break
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error
    return { ok: false, refusal: error.refusal }
  }
  return { ok: true, value: null }
}

/** The sessions of the application. */
function mine({ w, sender }: Scene) {
  return w.memory
    .rows(sessions)
    .flatMap(({ row }) => (row.applicationId === sender.applicationId ? row : []))
}

/** Does what an act says. */
export async function play(w: HistoryWorld, done: Done, act: Act): Promise<void> {
  const places = w.organizations.flatMap((owner) =>
    owner.senders.map((sender) => ({ owner, sender })),
  )
  const place = nth(act.sender, places)
  if (place) await plays[act.do]({ w, done, act, ...place })
}
