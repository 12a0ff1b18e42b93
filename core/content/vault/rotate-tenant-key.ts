import type { Cipher } from '../../base/ports/cipher.ts'
import type { ChangeSet, Check, Found, Put, Read } from '../../base/ports/store.ts'
import { audit } from '../../kernel/ledger/audit.ts'
import { isoTime } from '../../kernel/ledger/iso-time.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { get, list, many, one, put } from '../../kernel/ledger/reads.ts'
import { ok, type Result, refuse } from '../../kernel/ledger/refusal.ts'
import { handler, type WorkHandler } from '../../kernel/work/handler.ts'
import { schedule, workItems } from '../../kernel/work/records.ts'
import { subjectKeys, tenantKeys } from './records.ts'
import { rewrapped } from './subject-key.ts'
import { type TenantKeyRing, tenantKeysOf } from './tenant-keys.ts'

/** The kind of its due work. */
export const keyRotationKind = 'tenantKeyRotation'
/** Subject keys that one commit re-wraps. */
const piece = 100

/** The start of a rotation, for the commit that begins it. */
interface RotationStart {
  readonly set: Required<Pick<ChangeSet, 'puts' | 'appends'>>
  /** Of the key under which everything will lie. */
  readonly keyVersion: number
}

/** The reads whose answers `startRotation` and `rotationProgress` take, in their order. */
export function rotationReads(tenantId: string): readonly Read[] {
  return [tenantKeysOf(tenantId), get(workItems, [keyRotationKind, tenantId])]
}

/** What begins a rotation; `actor` is the name in the audit log. */
export function startRotation(
  unit: UnitOfWork,
  ring: TenantKeyRing,
  [found, work]: readonly (Found | undefined)[],
  { tenantId, actor }: { readonly tenantId: string; readonly actor: string },
): Result<RotationStart, 'not_found' | 'already_rotating'> {
  const was = one(tenantKeys, found)
  const newest = was?.row.keys.at(-1)
  if (!was || !newest) return refuse('not_found', 'nothing of this organization is sealed yet')
  if (was.row.keys.length > 1)
    return refuse('already_rotating', 'a rotation of the encryption key is under way')
  const next = ring.next(unit, tenantId, newest.version + 1)
  const item = {
    kind: keyRotationKind,
    ref: tenantId,
    tenantId,
    applicationId: null,
    due: unit.now,
  }
  return ok({
    set: {
      puts: [
        put(tenantKeys, { ...was.row, keys: [...was.row.keys, next] }, was),
        schedule(item, one(workItems, work)),
      ],
      appends: [
        audit(tenantId, {
          at: isoTime(unit.now),
          actor,
          action: 'tenant_key.rotation_started',
          subject: String(next.version),
          detail: {},
        }),
      ],
    },
    keyVersion: next.version,
  })
}

/** Tries of a piece of a rotation, after which it counts as stalled; it is tried again all the same. */
const triesBeforeStalled = 5

/** Where the rotation to a key is, and the checks that it stays so until the commit. */
interface RotationState {
  /** `stalled`: its last five tries failed. */
  readonly progress: 'running' | 'stalled' | 'done'
  readonly checks: readonly Check[]
}

/** Where the rotation to a key is: done once the old key is gone from the files of the store too. */
export function rotationProgress(
  [found, work]: readonly (Found | undefined)[],
  { tenantId, keyVersion }: { readonly tenantId: string; readonly keyVersion: number },
): RotationState {
  const keys = one(tenantKeys, found)
  const item = one(workItems, work)
  const under = (keys?.row.keys ?? []).filter(({ version }) => version < keyVersion)
  const stalled = item && item.leasedBy === null && item.row.claims >= triesBeforeStalled
  return {
    progress: under.length === 0 && !item ? 'done' : stalled ? 'stalled' : 'running',
    checks: [
      { in: tenantKeys.name, key: [tenantId], version: keys?.version ?? 0 },
      { in: workItems.name, key: [keyRotationKind, tenantId], version: item?.version ?? 0 },
    ],
  }
}

/** The puts that make a stalled rotation due immediately, as if it had never failed. */
export function retryRotation(
  [, work]: readonly (Found | undefined)[],
  now: number,
): readonly Put[] {
  const item = one(workItems, work)
  return item ? [schedule({ ...item.row, due: now }, item)] : []
}

/**
 * Re-wraps subject keys in bounded commits, then removes the old versions of the tenant's key. A key that is made during
 * the rotation is wrapped by the newest: its commit checks the tenant's row, which the start of the rotation wrote.
 */
export function tenantKeyRotation(deps: {
  readonly ring: TenantKeyRing
  readonly cipher: Cipher
  readonly scrub: () => Promise<void>
}): WorkHandler {
  const { ring, cipher, scrub } = deps
  return handler<'scrub' | null>({
    kind: keyRotationKind,
    async run(unit, { tenantId, state }) {
      // The old key was removed in the commit before: make it unreadable on disk.
      if (state === 'scrub') {
        await scrub()
        return null
      }
      const { was } = await unit.ask({ was: tenantKeys.get(tenantId) })
      if (!was) return null
      const keys = ring.open(was)
      const [old] = await unit.read([
        list(subjectKeys, {
          by: 'byKeyVersion',
          where: [
            ['tenantId', '=', tenantId],
            ['keyVersion', '<', keys.current],
          ],
          take: piece,
        }),
      ])
      const rows = many(subjectKeys, old)
      if (rows.length > 0) {
        for (const row of rows) {
          const next = rewrapped({ cipher, random: unit.random }, keys, row.row)
          if (!next)
            throw new Error(
              `the key of ${row.row.subjectId} in ${row.row.applicationId} does not open under version ${row.row.keyVersion} of the tenant's key: restore subjectKeys and tenantKeys from one backup`,
            )
          unit.put(subjectKeys, next, row)
        }
        return unit.now
      }
      const kept = was.row.keys.filter(({ version }) => version === keys.current)
      unit.put(tenantKeys, { ...was.row, keys: kept }, was)
      unit.audit('tenant_key.rotated', String(keys.current), {})
      return { next: unit.now, state: 'scrub' }
    },
  })
}
