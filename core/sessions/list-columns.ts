import type { ChangeSet, Check, Found, Put, Read } from '../base/ports/store.ts'
import { type AwaitedSession, awaitedSessions } from '../content/awaited-records.ts'
import { type SessionKey, type StoredSession, sessions } from '../content/records.ts'
import { get, inTurn, one, put } from '../kernel/ledger/reads.ts'
import { type ReviewCase, reviewCases } from '../review/records.ts'

type Removal = NonNullable<ChangeSet['removes']>[number]

/** A session whose open cases change in number, or that comes or goes. */
interface Change {
  readonly key: SessionKey
  /** Cases that open less those that end. */
  more: number
}

/**
 * The change set with what lists of sessions filter by: `flagged`, and the number of open cases, whichever use case opens
 * and ends them. Open cases of a session that has not come, or that was removed, are counted in `awaitedSessions`.
 */
export async function withListColumns(
  set: ChangeSet,
  read: (reads: readonly Read[]) => Promise<readonly Found[]>,
): Promise<ChangeSet> {
  const changes = changesIn(set.puts ?? [])
  const removed = new Set<string>()
  for (const { in: name, key } of set.removes ?? []) {
    if (name !== sessions.name) continue
    const id = idOf(key)
    removed.add(id)
    const [tenantId, applicationId, sessionId] = key as ReturnType<typeof keyOf>
    if (!changes.has(id)) changes.set(id, { key: { tenantId, applicationId, sessionId }, more: 0 })
  }
  const ids = [...changes.keys()]
  const puts = new Map<string, Put>()
  for (const each of set.puts ?? [])
    if (each.in === sessions.name) puts.set(idOf(keyOf(each.row as StoredSession)), each)
  if (ids.length === 0 && puts.size === 0) return set

  const asked = [...changes.values()].map(({ key }) => keyOf(key))
  const found =
    asked.length === 0
      ? []
      : await read(asked.flatMap((key) => [get(sessions, key), get(awaitedSessions, key)]))
  const added: Put[] = []
  const removes: Removal[] = []
  const checks: Check[] = []
  const ofNext = inTurn(found)
  for (const [id, { key, more }] of changes) {
    const [foundSession, foundAwaited] = ofNext(2)
    const stored = one(sessions, foundSession)
    const awaited = one(awaitedSessions, foundAwaited)
    const written = puts.get(id)
    if (stored && removed.has(id)) {
      // The removal names the version of the row that this count is of.
      const left = stored.row.openCases + more
      if (left > 0) added.push(put(awaitedSessions, { ...key, openCases: left }, awaited))
    } else if (written?.was === null || (!written && !stored)) {
      const count = Math.max(0, (awaited?.row.openCases ?? 0) + more)
      const where = keyOf(key)
      if (written) puts.set(id, { ...written, row: withOpenCases(written.row, count) })
      else checks.push({ in: sessions.name, key: where, version: 0 })
      const left = written ? 0 : count
      if (awaited && left === 0)
        removes.push({ in: awaitedSessions.name, key: where, version: awaited.version })
      else if (left > 0) added.push(put(awaitedSessions, { ...key, openCases: left }, awaited))
      else checks.push({ in: awaitedSessions.name, key: where, version: 0 })
    } else if (written) {
      const { openCases } = written.row as StoredSession
      puts.set(id, { ...written, row: withOpenCases(written.row, openCases + more) })
    } else if (stored) {
      const row = withOpenCases(stored.row, stored.row.openCases + more)
      puts.set(id, put(sessions, row, stored))
    }
  }
  return merged(set, puts, { puts: added, removes, checks })
}

/** Sessions of the set that begin, or whose cases open or end. */
function changesIn(puts: readonly Put[]): Map<string, Change> {
  const changes = new Map<string, Change>()
  const change = ({ tenantId, applicationId, sessionId }: SessionKey, more: number) => {
    const key = { tenantId, applicationId, sessionId }
    const id = idOf(keyOf(key))
    const known = changes.get(id)
    if (known) known.more += more
    else changes.set(id, { key, more })
  }
  for (const { in: name, row, was } of puts) {
    if (name === reviewCases.name) {
      const before = was?.row as ReviewCase | undefined
      const after = row as ReviewCase
      if (before?.state === 'open') change(before, -1)
      if (after.state === 'open') change(after, 1)
    } else if (name === sessions.name && was === null) change(row as StoredSession, 0)
  }
  const begun = new Set(
    puts.flatMap(({ in: name, row, was }) =>
      name === sessions.name && was === null ? idOf(keyOf(row as StoredSession)) : [],
    ),
  )
  for (const [id, { more }] of changes) if (more === 0 && !begun.has(id)) changes.delete(id)
  return changes
}

function withOpenCases(row: object, count: number): StoredSession {
  const openCases = Math.max(0, count)
  return { ...(row as StoredSession), openCases, underReview: openCases > 0 ? 1 : 0 }
}

function withFlagged(session: Put): Put {
  const row = session.row as StoredSession
  const flagged = row.openFlags > 0 ? 1 : 0
  return row.flagged === flagged ? session : { ...session, row: { ...row, flagged } }
}

/** The set with these rows of sessions in place of its own, and with more besides. */
function merged(
  set: ChangeSet,
  sessionPuts: ReadonlyMap<string, Put>,
  more: Required<Pick<ChangeSet, 'puts' | 'removes' | 'checks'>>,
): ChangeSet {
  const left = new Map(sessionPuts)
  const own = (set.puts ?? []).map((each) => {
    if (each.in !== sessions.name) return each
    const id = idOf(keyOf(each.row as StoredSession))
    const changed = left.get(id) ?? each
    left.delete(id)
    return withFlagged(changed)
  })
  return {
    ...set,
    puts: [...own, ...left.values(), ...more.puts],
    ...((set.removes || more.removes.length > 0) && {
      removes: [...(set.removes ?? []), ...more.removes],
    }),
    ...((set.checks || more.checks.length > 0) && {
      checks: [...(set.checks ?? []), ...more.checks],
    }),
  }
}

function keyOf({ tenantId, applicationId, sessionId }: SessionKey | AwaitedSession) {
  return [tenantId, applicationId, sessionId] as const
}

function idOf(key: readonly unknown[]): string {
  return JSON.stringify(key)
}
