import {
  type CustomerKey,
  customerKeys,
  type EvidenceKeyRing,
  evidenceKeyRings,
  type IssuerKeyRing,
  issuerKeyRings,
  type KeyRequest,
  keyRequests,
} from '@countersign/core/internal'
import { type Committed, of, type Transition, type Truth } from '../truth.ts'
import type { World } from '../world.ts'
import { actionsOf, sameBytes } from './context.ts'
import { isPurging } from './purging.ts'

const day = 24 * 3_600_000

/** What follows on each status of a key request (interface, Key request), written apart from the core. */
const moves: Readonly<Record<string, readonly string[]>> = {
  submitted: ['approved', 'rejected', 'cancelled'],
  approved: ['executing', 'executed', 'failed', 'rejected'],
  executing: ['executed', 'failed'],
  failed: ['executing', 'executed', 'failed'],
  executed: [],
  rejected: [],
  cancelled: [],
}
const open: readonly string[] = ['submitted', 'approved', 'executing']

/** Customer keys, the requests for them, and the keys that sign. */
export interface KeyChecks {
  /** Before the rows of `truth` move. */
  committing(truth: Truth, committed: Committed): void
  /** Customer keys that were ever made. */
  readonly issued: ReadonlySet<string>
}

export function checkKeys(world: World): KeyChecks {
  const issued = new Set<string>()
  /** Keys that a request issues, known from its execution on. */
  const promised = new Set<string>()

  function checkKey(truth: Truth, committed: Committed, change: Transition<CustomerKey>): void {
    const { key, before, after } = change
    const recorded = actionsOf(committed)
    if (!after) {
      // Only so many revoked ones are kept.
      if (before && before.row.revokedAt === null && !isPurging(truth, before.row))
        world.broken('acknowledged is kept', `the active key ${key} is gone`)
      return
    }
    const { row } = after
    if (!before) {
      issued.add(row.keyId)
      if (!recorded.includes('customer_key.issued') && committed.by !== 'setup')
        world.broken('acts are audited', `${key} is issued without an entry`)
      const reveals = of(keyRequests, committed.transitions).some(
        (one) => one.after?.row.issuedKeyId === row.keyId && one.after.row.revealedAt !== null,
      )
      if (promised.has(row.keyId) && !reveals)
        world.broken('a value is shown once', `${key} is made, and its request not revealed`)
      return
    }
    const was = before.row.revokedAt
    if (was !== null && row.revokedAt !== was)
      world.broken('a revoked key opens nothing', `${key} was revoked, and is no more`)
    if (was === null && row.revokedAt !== null && !recorded.includes('customer_key.revoked'))
      world.broken('acts are audited', `${key} is revoked without an entry`)
    if (row.hash !== before.row.hash)
      world.broken('a value is shown once', `${key} has another value`)
  }

  function checkRequest(
    truth: Truth,
    { transitions }: Committed,
    { key, before, after }: Transition<KeyRequest>,
  ): void {
    const wrong = (detail: string) =>
      world.broken('key requests keep their order', `${key}: ${detail}`)
    if (!after) {
      if (before && !isPurging(truth, before.row)) wrong('is gone')
      return
    }
    const { row } = after
    const was = before?.row
    if (!was && row.status !== 'submitted') wrong(`begins as ${row.status}`)
    if (was && was.status !== row.status && !moves[was.status]?.includes(row.status))
      wrong(`${was.status} became ${row.status}`)
    if (open.includes(row.status) !== (row.open === 1)) wrong(`${row.status}, open ${row.open}`)
    for (const [other, { row: like }] of truth.rows(keyRequests))
      if (other !== key && row.open === 1 && like.open === 1 && sameTarget(like, row))
        wrong(`is asked for by ${other} already`)
    if (row.issuedKeyId !== null) promised.add(row.issuedKeyId)
    if (row.revealedAt === (was?.revealedAt ?? null)) return
    const shown = (detail: string) => world.broken('a value is shown once', `${key} ${detail}`)
    if (was?.revealedAt !== null) shown('is revealed again')
    if (row.status !== 'executed') shown(`is revealed while ${row.status}`)
    if ((row.revealedAt ?? 0) >= (row.revealUntil ?? 0)) shown('is revealed too late')
    const made = of(customerKeys, transitions).some(
      (one) => !one.before && one.after?.row.keyId === row.issuedKeyId,
    )
    if (!made) shown('is revealed, and its key not made')
  }

  /** The next key is published a day before it signs, and the one before it signs for a day more. */
  function checkIssuers({ key, before, after }: Transition<IssuerKeyRing>): void {
    const lost = (detail: string) =>
      world.broken('signatures stay verifiable', `the ring of ${key}: ${detail}`)
    if (!after) {
      lost('is gone')
      return
    }
    const { keys } = after.row
    for (const [at, one] of keys.entries()) {
      const was = before?.row.keys.find(({ version }) => version === one.version)
      if (was && !sameBytes(was.publicKey, one.publicKey)) lost(`${one.version} is another key`)
      const previous = keys[at - 1]
      if (!previous) continue
      if (one.signsFrom - one.publishedAt < day) lost(`${one.version} signs before it is known`)
      if ((previous.signsUntil ?? 0) - one.signsFrom < day)
        lost(`${previous.version} ends before ${one.version} signs alone`)
    }
    for (const one of before?.row.keys ?? [])
      if (one.signsUntil === null && !keys.some(({ version }) => version === one.version))
        lost(`${one.version} is forgotten, and signs`)
  }

  /** Keys of evidence are published for good. */
  function checkEvidence({ key, before, after }: Transition<EvidenceKeyRing>): void {
    for (const [at, one] of (before?.row.keys ?? []).entries()) {
      const is = after?.row.keys[at]
      if (is?.keyId !== one.keyId || !sameBytes(is.publicKey, one.publicKey))
        world.broken('signatures stay verifiable', `evidence key ${one.keyId} of ${key} is gone`)
    }
  }

  return {
    issued,
    committing(truth, committed) {
      const { transitions } = committed
      // Requests first: what they promise is looked at with the key that is made.
      for (const change of of(keyRequests, transitions)) checkRequest(truth, committed, change)
      for (const change of of(customerKeys, transitions)) checkKey(truth, committed, change)
      for (const change of of(issuerKeyRings, transitions)) checkIssuers(change)
      for (const change of of(evidenceKeyRings, transitions)) checkEvidence(change)
    },
  }
}

function sameTarget(a: KeyRequest, b: KeyRequest): boolean {
  const members = ['tenantId', 'action', 'target', 'targetType'] as const
  return members.every((name) => a[name] === b[name])
}
