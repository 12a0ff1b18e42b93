import { createHash } from 'node:crypto'
import { type Application, applications } from '../../../../applications/records.ts'
import { bundlePath, bundles } from '../../../../content/payload-records.ts'
import { sessions, steps } from '../../../../content/records.ts'
import { evidencePackages, packagePath } from '../../../../evidence/packages/records.ts'
import { auditLog } from '../../../../kernel/ledger/audit.ts'
import { workItems } from '../../../../kernel/work/records.ts'
import { type Tenant, tenants } from '../../../../organizations/access/records.ts'
import { erasureRequests, legalHolds } from '../../../../removal/erasure/records.ts'
import { purges } from '../../../../removal/lifecycle/records.ts'
import { reviewCases } from '../../../../review/records.ts'
import { day, hour } from '../../erasure/world.ts'
import { lastWord } from '../remains.ts'
import { all, textOf } from '../world.ts'
import { isGoing } from './acts.ts'
import type { Done, Sent } from './draw.ts'
import { type HistoryWorld, ops } from './world.ts'

/** What was sent is there, but for what an erasure has begun to take, or was deleted; and nothing of that. */
export async function checkContent(w: HistoryWorld, { sent, asked }: Done): Promise<void> {
  const requests = w.memory.rows(erasureRequests).map(({ row }) => row)
  const begun = new Set(
    requests.flatMap((row) => (row.begunAt === null ? [] : row.erasureRequestId)),
  )
  const isErased = (each: Sent) =>
    asked.some(({ tenantId, subject, erasureRequestId, before }) => {
      const request = requests.find((row) => row.erasureRequestId === erasureRequestId)
      const isOf = request?.applicationId === null || request?.applicationId === each.applicationId
      const isTheirs = tenantId === each.tenantId && subject === each.subject && isOf
      return isTheirs && begun.has(erasureRequestId ?? '') && before.includes(each)
    })
  for (const each of sent) {
    const { text, tenantId, applicationId, stepId, subject } = each
    const look = () =>
      w.memory
        .rows(steps)
        .map(({ row }) => row)
        .find(
          (row) =>
            row.applicationId === applicationId &&
            row.stepId === stepId &&
            (each.sessionId === null || row.sessionId === each.sessionId),
        )
    const step = look()
    const owner = w.organizations.find((one) => one.tenantId === tenantId)
    const mayGo =
      w.purging.has(applicationId) ||
      isGoing(w, tenantId) ||
      asked.some((one) => one.tenantId === tenantId && (subject ?? one.subject) === one.subject)
    if (!owner || (mayGo && !step) || isGoing(w, tenantId)) continue
    const read = await w.call('a read', ({ sessions }) =>
      sessions.readStep(owner.admin, { sessionId: step?.sessionId ?? '', stepId, applicationId }),
    )
    // One that moved to another session meanwhile is looked at the next time.
    if (read === null || look()?.sessionId !== step?.sessionId) continue
    const isThere = read.ok && read.value.payload?.input === text
    if (!isThere && !mayGo) w.problems.push(`${text} is lost`)
    if (isThere && isErased(each)) w.problems.push(`${text} is readable, and erased`)
  }
}

/** Lets the service end what it has under way. */
export async function rest(w: HistoryWorld): Promise<void> {
  Object.assign(w.state, { isUp: true, broken: null })
  w.restart()
  await w.pass(70_000)
  for (const { row } of w.memory.rows(purges))
    if (row.state !== 'queued')
      await w.expecting('a requeue', [], ({ purgePoison }) =>
        purgePoison.requeue(ops, { messageId: row.messageId, note: 'mended' }),
      )
  const steady = [...Array.from({ length: 12 }, () => day), hour, hour, hour]
  for (const ms of steady) {
    w.jump(ms)
    await w.pass(12_000)
  }
}

/** What must be so once nothing is under way. */
export function checkEnd(w: HistoryWorld): void {
  const { problems, memory, blobs } = w
  const now = w.now()
  for (const { row } of memory.rows(applications)) checkApplication(w, row)
  for (const { row } of memory.rows(tenants)) checkOrganization(w, row)
  for (const { row } of memory.rows(workItems))
    if (row.due < now - 2 * hour) problems.push(`work of kind ${row.kind} is left undone`)
  for (const { row } of memory.rows(reviewCases))
    if (row.state === 'open' && row.expiresAt < now) problems.push('a case outlives its expiry')
  for (const { row } of memory.rows(sessions))
    if (row.status === 'running') problems.push('a session runs for days')
  for (const { row } of memory.rows(erasureRequests))
    if (row.underWay && row.status !== 'blocked_by_hold')
      problems.push(`an erasure is ${row.status} in the end`)
  const needed = new Set([
    ...memory.rows(bundles).map(({ row }) => bundlePath(row)),
    ...memory.rows(evidencePackages).map(({ row }) => packagePath(row)),
  ])
  for (const path of blobs.objects().keys())
    if (!needed.delete(path)) problems.push('a blob is of nothing')
  if (needed.size > 0) problems.push('a blob is lost')
}

function checkApplication(
  w: HistoryWorld,
  { tenantId, applicationId, lifecycleState, deletion }: Application,
): void {
  const { problems, memory } = w
  const held = memory
    .rows(legalHolds)
    .some(({ row }) => row.active === 1 && row.tenantId === tenantId)
  if (lifecycleState === 'purging') problems.push('a purge does not end')
  if (lifecycleState === 'pending_deletion' && deletion && deletion.purgeAt < w.now() - day)
    if (!held || !deletion.blockedByHold) problems.push('a deletion is forgotten')
  if (lifecycleState !== 'purged') return
  const told = [...w.told.values()].filter(
    (each) => each.type === lastWord && each.applicationId === applicationId,
  )
  if (told.length !== 1 && !w.deaf.has(tenantId))
    problems.push(`the end of a purge is told ${told.length} times`)
  for (const { name } of all.filter((each) => namesIt(w, each, applicationId)))
    problems.push(`a purge leaves ${name}`)
  if ([...w.blobs.objects().keys()].some((path) => path.includes(applicationId)))
    problems.push('a purge leaves a blob')
}

/** Whether a collection names an application more than a purge may leave. */
function namesIt(
  { memory }: HistoryWorld,
  collection: (typeof all)[number],
  applicationId: string,
): boolean {
  return memory.rows(collection).some(({ row }) => {
    if (!textOf(row).includes(applicationId)) return false
    // The request of an organization shows what was erased, and its deletion what went with it.
    if (collection.name === tenants.name) return false
    if (collection.name === erasureRequests.name) return row.applicationId !== null
    if (collection.name === applications.name) return row.name !== ''
    return row.type !== lastWord
  })
}

function checkOrganization(
  { memory, problems, now, blobs }: HistoryWorld,
  { tenantId, deletion, deletedAt }: Tenant,
): void {
  const entries = memory.entries(auditLog).get(tenantId) ?? []
  let previous: Uint8Array = new Uint8Array(32)
  for (const [at, { position, entry, hash }] of entries.entries()) {
    const expected = createHash('sha256').update(previous).update(entry).digest()
    if (position !== at + 1 || !expected.equals(hash)) problems.push('the audit log is broken')
    previous = hash
  }
  const held = memory
    .rows(legalHolds)
    .some(({ row }) => row.active === 1 && row.tenantId === tenantId)
  if (deletion && deletion.purgeAt < now() - 2 * day && !held)
    problems.push('the deletion of an organization does not end')
  if (deletedAt === undefined) return
  const outlives = all.flatMap(({ name, outlives: why }) => (why === undefined ? [] : name))
  for (const each of all.filter(({ name }) => !outlives.includes(name)))
    if (memory.rows(each).some(({ row }) => textOf(row).includes(tenantId)))
      problems.push(`the end of an organization leaves ${each.name}`)
  if ([...blobs.objects().keys()].some((path) => path.includes(tenantId)))
    problems.push('the end of an organization leaves a blob')
}
