import type { ChangeSet, Key, Store, Versioned } from '@countersign/core/ports'
import { rightRules } from '../simulator/receivers.ts'
import type { Mutant } from './mutant.ts'

/** Every so many commits, counted from a start that no scenario can know. */
function everyNth(n: number): () => boolean {
  let count = 0
  return () => ++count % n === 0
}

const isOutbox = (write: { readonly in: string }) =>
  write.in === 'messages' || write.in === 'deliveries'

const ofCase = (puts: readonly { readonly in: string }[]) =>
  puts.some((put) => put.in === 'reviewCases')

/** A store that tells of a commit which it then forgets: an acknowledged write without a sync. */
function forgetful(store: Store): Store {
  const forgets = everyNth(9)
  return {
    ...store,
    commit: (set) =>
      forgets() ? Promise.resolve({ committed: true, ranges: [] }) : store.commit(set),
  }
}

/** A store that writes part of a set when another part is refused. */
function halfhearted(store: Store): Store {
  return {
    ...store,
    commit: (set) => store.commit({ ...set, puts: (set.puts ?? []).slice(0, -1) }),
  }
}

/** Writes whatever it is told over whatever is there: no optimistic versions, so no fence for late settles. */
function unfenced(store: Store): Store {
  const keyOf = (was: Versioned | null): Key | null => {
    const seen = was?.row as { endpointId?: string; messageId?: string; reviewCaseId?: string }
    if (seen?.endpointId && seen.messageId) return [seen.endpointId, seen.messageId]
    return seen?.reviewCaseId ? [seen.reviewCaseId] : null
  }
  return {
    ...store,
    async commit(set) {
      const puts = await Promise.all(
        (set.puts ?? []).map(async (put) => {
          const key = keyOf(put.was)
          if (!key || (put.in !== 'deliveries' && put.in !== 'reviewCases')) return put
          const [found] = await store.read(null, [{ get: put.in, key }])
          return { ...put, was: found?.rows[0] ?? null }
        }),
      )
      return store.commit({ ...set, puts })
    },
  }
}

/** Looks at nothing that a decision relied on without writing it. */
function unchecked(store: Store): Store {
  return { ...store, commit: (set) => store.commit({ ...set, checks: [] }) }
}

/** The change first, and what it owes in a commit of its own. */
function dualWrite(store: Store): Store {
  return {
    ...store,
    async commit(set) {
      const puts = set.puts ?? []
      const owed = ofCase(puts) ? puts.filter(isOutbox) : []
      if (owed.length === 0 || owed.length === puts.length) return store.commit(set)
      const first: ChangeSet = { ...set, puts: puts.filter((put) => !isOutbox(put)) }
      const outcome = await store.commit(first)
      if (!outcome.committed) return outcome
      await store.commit({ tenant: set.tenant, puts: owed })
      return outcome
    },
  }
}

/** Sends what is owed before anybody has committed it. */
function owedFirst(store: Store): Store {
  return {
    ...store,
    async commit(set) {
      const puts = set.puts ?? []
      const owed = ofCase(puts) ? puts.filter((put) => isOutbox(put) && put.was === null) : []
      if (owed.length === 0 || owed.length === puts.length) return store.commit(set)
      await store.commit({ tenant: set.tenant, puts: owed })
      return store.commit({ ...set, puts: puts.filter((put) => !owed.includes(put)) })
    },
  }
}

/** Leaves out members that have no value, in bodies that are sent. */
function withoutNulls(store: Store): Store {
  const bare = (body: Uint8Array) =>
    new TextEncoder().encode(
      JSON.stringify(JSON.parse(new TextDecoder().decode(body)), (_, value) => value ?? undefined),
    )
  return {
    ...store,
    commit: (set) =>
      store.commit({
        ...set,
        puts: (set.puts ?? []).map((put) => {
          const row = put.row as { readonly type?: string; readonly body?: Uint8Array } | null
          // An outcome is stored sealed.
          if (put.in !== 'messages' || !row?.body || row.type === 'review.outcome') return put
          return { ...put, row: { ...row, body: bare(row.body) } }
        }),
      }),
  }
}

/** Forgets one of the privileged acts in so many. */
function unaudited(store: Store): Store {
  return { ...store, commit: (set) => store.commit({ ...set, appends: [] }) }
}

/** Tells a process that its change is written before it is. */
function hasty(store: Store): Store {
  return {
    ...store,
    commit(set) {
      void store.commit(set).catch(() => {})
      return Promise.resolve({ committed: true, ranges: [] })
    },
  }
}

/** Takes rows of a queue that are due tomorrow, and nobody ever takes what is due. */
function neverDue(store: Store): Store {
  return { ...store, lanes: () => Promise.resolve([]) }
}

/** Takes leases for ended that go on for a while. */
function impatient(store: Store): Store {
  const ahead = 29_000
  return {
    ...store,
    lanes: (query) => store.lanes({ ...query, now: query.now + ahead }),
    async nextDue(query) {
      const due = await store.nextDue(query)
      return due === null ? null : due - ahead
    },
    claim: (query) =>
      store.claim({ ...query, now: query.now + ahead, leaseUntil: query.leaseUntil + ahead }),
  }
}

export const substituted: readonly Mutant[] = [
  { name: 'a store that forgets', property: 'committed is durable', store: forgetful },
  {
    name: 'a store that writes halves',
    property: 'writes replace what they saw',
    store: halfhearted,
  },
  { name: 'no fence', property: 'writes replace what they saw', store: unfenced },
  { name: 'no checks', property: 'writes replace what they saw', store: unchecked },
  { name: 'dual write', property: 'every event is owed', port: dualWrite },
  { name: 'owed before it happened', property: 'a change and its events', port: owedFirst },
  { name: 'null members left out', property: 'bodies fit the catalogue', port: withoutNulls },
  { name: 'acts that are not recorded', property: 'acts are audited', port: unaudited },
  { name: 'answer before the commit', property: 'acknowledged is kept', port: hasty },
  { name: 'a claim of what is leased', property: 'retry schedule', port: impatient },
  { name: 'a queue that finds nothing', property: 'comes to rest', port: neverDue },
  {
    name: 'acknowledged, not stored',
    property: 'delivered means received',
    receiver: { ...rightRules, store: () => false },
  },
  {
    name: 'handled each time it comes',
    property: 'receivers converge',
    receiver: {
      ...rightRules,
      store({ stored }, id, body) {
        stored.set(id, body)
        return true
      },
    },
  },
  {
    name: 'head by arrival',
    property: 'receivers converge',
    receiver: {
      ...rightRules,
      fold({ heads }, event) {
        heads.set(String(event.reviewCaseId), {
          caseVersion: Number(event.caseVersion),
          eventSequence: Number(event.eventSequence),
        })
      },
    },
  },
  {
    name: 'head by version alone',
    property: 'receivers converge',
    receiver: {
      ...rightRules,
      fold({ heads }, event) {
        const id = String(event.reviewCaseId)
        const caseVersion = Number(event.caseVersion)
        if (caseVersion > (heads.get(id)?.caseVersion ?? 0))
          heads.set(id, { caseVersion, eventSequence: Number(event.eventSequence) })
      },
    },
  },
]
