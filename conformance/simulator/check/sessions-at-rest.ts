import {
  batches,
  bundlePath,
  bundles,
  caseSeals,
  erasureRequests,
  reviewCases,
  type StoredStep,
  seals,
  sessionAnnotations,
  sessionFlags,
  sessionReviews,
  sessions,
  steps,
} from '@countersign/core/internal'
import type { MemoryBlobs } from '@countersign/core/testing'
import { keyText, type Truth } from '../truth.ts'
import type { World } from '../world.ts'
import { holdsOn } from './erasure.ts'
import { retentionMs, sessionText } from './session-rows.ts'

/** What must hold of sessions once everything has come to rest, before time takes them. */
export function checkSessionsAtRest(world: World, truth: Truth, blobs: MemoryBlobs): void {
  checkEnded(world, truth)
  checkSums(world, truth)
  checkErasures(world, truth)
  checkBlobs(world, truth, blobs)
}

/** Every session is complete and sealed as it is, every batch anchored. */
function checkEnded(world: World, truth: Truth): void {
  const left = (detail: string) => world.broken('every session has an end', detail)
  for (const [key, { row }] of truth.rows(sessions)) {
    if (row.completedAt === null) left(`${key} still runs`)
    const seal = truth
      .rows(seals)
      .get(keyText([row.tenantId, row.applicationId, row.sessionId, row.revision]))
    if (!seal || row.sealDue !== null) left(`revision ${row.revision} of ${key} has no seal`)
    else if (row.origin === 'otlp' && seal.row.batchId !== row.sealed?.batchId)
      left(`${key} names another batch than its seal`)
  }
  for (const [key, { row }] of truth.rows(reviewCases))
    if (row.state !== 'open' && !truth.rows(caseSeals).get(key)?.row.batchId)
      left(`case ${key} has ended and has no seal`)
  for (const [key, { row }] of truth.rows(batches))
    if (row.anchorDue !== null || row.anchorSequence === null) left(`batch ${key} has no anchor`)
}

function stepsBySession(truth: Truth): ReadonlyMap<string, readonly StoredStep[]> {
  const found = new Map<string, StoredStep[]>()
  for (const { row } of truth.rows(steps).values()) {
    const key = sessionText(row)
    const all = found.get(key) ?? []
    found.set(key, all)
    all.push(row)
  }
  return found
}

/** A session's sums, computed anew from its steps. */
function checkSums(world: World, truth: Truth): void {
  const all = stepsBySession(truth)
  for (const [key, { row }] of truth.rows(sessions)) {
    const rows = all.get(key) ?? []
    const sum = (of: (step: StoredStep) => number) => rows.reduce((sum, one) => sum + of(one), 0)
    const own = [...row.policyResults, ...rows.flatMap(({ policyResults }) => policyResults)]
    const count = (effect: string) => own.filter((one) => one.effect === effect).length
    const expected = {
      steps: rows.length,
      errors: sum(({ status }) => Number(status === 'error')),
      inputTokens: sum(({ inputTokens }) => inputTokens ?? 0),
      outputTokens: sum(({ outputTokens }) => outputTokens ?? 0),
      allow: count('allow'),
      deny: count('deny'),
      requireReview: count('require_review'),
    }
    for (const [name, value] of Object.entries(expected))
      if (row.tally[name as keyof typeof expected] !== value)
        world.broken(
          'sums are of the steps',
          `${key}: ${name} is ${row.tally[name as keyof typeof expected]}, expected ${value}`,
        )
  }
  for (const key of all.keys())
    if (!truth.rows(sessions).has(key))
      world.broken('every session has an end', `${key} is gone, and has steps`)
}

/** Requests have ended, and what members wrote of the erased sessions before is gone with them. */
function checkErasures(world: World, truth: Truth): void {
  for (const [key, { row: request }] of truth.rows(erasureRequests)) {
    if (request.underWay === 1)
      world.broken('every session has an end', `erasure ${key} is still ${request.status}`)
    if (request.status !== 'completed' || request.certificate === null) continue
    const begunAt = request.begunAt ?? 0
    for (const { row, at, text } of writings(truth)) {
      const session = truth.rows(sessions).get(sessionText(row))?.row
      const theirs =
        session?.dataSubjectId === request.dataSubjectId &&
        session.receivedAt < begunAt &&
        (request.applicationId === null || request.applicationId === row.applicationId)
      if (theirs && at < begunAt && text !== null)
        world.broken('erased stays erased', `a text about ${row.sessionId} is there`)
    }
  }
}

/** What members wrote about sessions, and when. */
function writings(truth: Truth) {
  const of = <R extends object>(
    collection: Parameters<typeof truth.rows<R>>[0],
    tell: (row: R) => { readonly at: number; readonly text: string | null },
  ) => [...truth.rows(collection).values()].map(({ row }) => ({ row, ...tell(row) }))
  return [
    ...of(sessionAnnotations, ({ createdAt: at, text }) => ({ at, text })),
    ...of(sessionFlags, ({ raisedAt: at, note: text }) => ({ at, text })),
    ...of(sessionReviews, ({ reviewedAt: at, comment: text }) => ({ at, text })),
  ]
}

/** Every bundle that a row names is there, and holds nothing but what can still be read. */
function checkBlobs(world: World, truth: Truth, blobs: MemoryBlobs): void {
  const objects = blobs.objects()
  const live = new Map<string, (readonly [from: number, to: number])[]>()
  for (const [key, { row }] of [...truth.rows(steps), ...truth.rows(sessions)])
    for (const { bundleId, offset, length, field } of row.payloads) {
      if (length === 0) continue
      const { tenantId, applicationId } = row
      const path = bundlePath({ tenantId, applicationId, bundleId })
      live.set(path, [...(live.get(path) ?? []), [offset, offset + length]])
      if (!objects.has(path))
        world.broken('committed is durable', `the blob of ${field} of ${key} is gone`)
    }
  for (const [key, { row }] of truth.rows(bundles)) {
    const bytes = objects.get(bundlePath(row))?.slice()
    if (!bytes) world.broken('committed is durable', `the blob of bundle ${key} is gone`)
    for (const [from, to] of live.get(bundlePath(row)) ?? []) bytes?.fill(0, from, to)
    if (bytes?.some((byte) => byte !== 0) || !live.has(bundlePath(row)))
      world.broken('erased stays erased', `bundle ${key} holds what was erased`)
  }
}

/** What must hold once the time of every session is over: those under hold are there, and nothing of the others. */
export function checkAged(world: World, truth: Truth, blobs: MemoryBlobs, now: number): void {
  const all = stepsBySession(truth)
  for (const [key, { row }] of truth.rows(sessions)) {
    const subjects = [row.dataSubjectId, ...(all.get(key) ?? []).map(({ subject }) => subject)]
    const held = subjects.some((subject) => holdsOn(truth, row, subject).length > 0)
    const old = row.completedAt !== null && row.completedAt < now - retentionMs
    if (old && !held) world.broken('comes to rest', `${key} is over its time, and there`)
  }
  checkSums(world, truth)
  const named = new Set([...truth.rows(bundles).values()].map(({ row }) => bundlePath(row)))
  for (const path of blobs.objects().keys())
    if (!named.has(path)) world.broken('comes to rest', `blob ${path} belongs to nothing`)
}
