import { type Result, refuse } from '../kernel/ledger/refusal.ts'
import type { IssuerKey, IssuerKeyRing } from './records.ts'

const day = 24 * 60 * 60 * 1_000

/** A key is published this long before it signs, so that every cache of the key set has it by then. */
export const publishAheadMs: number = day
/** Then it and the key before it both sign. */
export const overlapMs: number = day
/** A key that has signed its last stays published for messages that are verified late. */
export const publishAfterMs: number = day

/** Key material, sealed for the version of `nextVersion`. */
export type KeyMaterial = Pick<IssuerKey, 'sealed' | 'publicKey'>

/** A tenant's first ring: nobody has an older key set in a cache, so it signs from the start, whatever the clock does. */
export function firstRing(tenantId: string, material: KeyMaterial, now: number): IssuerKeyRing {
  const key = { ...material, version: 1, publishedAt: now, signsFrom: 0, signsUntil: null }
  return { tenantId, keys: [key] }
}

export function nextVersion(ring: IssuerKeyRing): number {
  return Math.max(0, ...ring.keys.map(({ version }) => version)) + 1
}

/** Starts a rotation; it takes its course by the clock alone. */
export function rotate(
  ring: IssuerKeyRing,
  material: KeyMaterial,
  now: number,
): Result<IssuerKeyRing, 'already_rotating'> {
  const ends = rotationEnds(ring, now)
  if (ends !== null)
    return refuse('already_rotating', 'the keys are rotating already; wait until it is over', {
      retryAfter: Math.ceil((ends - now) / 1_000),
    })
  const signsFrom = now + publishAheadMs
  const next: IssuerKey = {
    ...material,
    version: nextVersion(ring),
    publishedAt: now,
    signsFrom,
    signsUntil: null,
  }
  const keys = ring.keys.map((key) =>
    key.signsUntil === null ? { ...key, signsUntil: signsFrom + overlapMs } : key,
  )
  return { ok: true, value: tidy({ ...ring, keys: [...keys, next] }, now) }
}

/** When the rotation under way is over; null when there is none. */
export function rotationEnds(ring: IssuerKeyRing, now: number): number | null {
  const ends = ring.keys.flatMap(({ signsUntil }) => signsUntil ?? [])
  const last = Math.max(0, ...ends)
  return last > now ? last : null
}

/**
 * The keys that sign at this time, the newest first. There always is one: where a clock was ahead for a while, and the
 * key that would sign by the right time has been wiped, its successor signs before its time.
 */
export function signing(ring: IssuerKeyRing, now: number): readonly IssuerKey[] {
  const able = ring.keys.filter(({ sealed }) => sealed !== null)
  const active = able.filter((key) => key.signsFrom <= now && !ended(key, now))
  return active.length > 0 ? active.toReversed() : able.slice(0, 1)
}

/** The key that is published and does not sign yet; null outside a rotation. */
export function coming(ring: IssuerKeyRing, now: number): IssuerKey | null {
  return ring.keys.find(({ signsFrom }) => signsFrom > now) ?? null
}

/** The keys that receivers may meet at this time or soon, the newest first. */
export function published(ring: IssuerKeyRing, now: number): readonly IssuerKey[] {
  return ring.keys.filter((key) => !forgotten(key, now)).toReversed()
}

/** The ring without the seeds of keys that have signed their last, and without keys that nobody needs any more. */
export function tidy(ring: IssuerKeyRing, now: number): IssuerKeyRing {
  const keys = ring.keys
    .filter((key) => !forgotten(key, now))
    .map((key) => (ended(key, now) ? { ...key, sealed: null } : key))
  return { ...ring, keys }
}

/** When `tidy` will next have something to do; null when nothing is ending. */
export function nextTidy(ring: IssuerKeyRing): number | null {
  const times = ring.keys.flatMap(({ sealed, signsUntil }) => {
    if (signsUntil === null) return []
    return sealed === null ? signsUntil + publishAfterMs : signsUntil
  })
  return times.length === 0 ? null : Math.min(...times)
}

function ended(key: IssuerKey, now: number): boolean {
  return key.signsUntil !== null && key.signsUntil <= now
}

function forgotten(key: IssuerKey, now: number): boolean {
  return key.signsUntil !== null && key.signsUntil + publishAfterMs <= now
}
