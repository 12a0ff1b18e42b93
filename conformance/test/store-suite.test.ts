import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { storeSuite } from '@countersign/conformance/store'
import type { ChangeSet, Collection, Found, Store, Versioned } from '@countersign/core/ports'
import { createMemoryStore } from '@countersign/core/testing'
import { failuresOf } from './run-suite.ts'

type Change = (store: Store, collections: readonly Collection[]) => Partial<Store>

/** A store that changes each set before it commits it. */
const committing =
  (change: (set: ChangeSet, store: Store) => ChangeSet | Promise<ChangeSet>): Change =>
  (store) => ({ commit: async (set) => store.commit(await change(set, store)) })

/** A store that changes each answer before it tells it. */
const telling =
  (change: (row: Versioned) => Versioned): Change =>
  (store) => ({
    read: async (tenant, reads) =>
      (await store.read(tenant, reads)).map((found) => ({
        ...found,
        rows: found.rows.map(change),
      })),
  })

const relisting =
  (change: (found: Found, skip: number, take: number) => Found): Change =>
  (store) => ({
    read: async (tenant, reads) =>
      (await store.read(tenant, reads)).map((found, at) => {
        const read = reads[at]
        return read && 'list' in read ? change(found, read.skip, read.take) : found
      }),
  })

const declaring =
  (change: (collection: Collection) => Collection): Change =>
  (_, collections) =>
    createMemoryStore({ collections: collections.map(change), logs: suiteLogs })

let suiteLogs: Parameters<typeof createMemoryStore>[0]['logs'] = []

const mutants: Readonly<Record<string, Change>> = {
  'ignores checks': committing((set) => ({ ...set, checks: [] })),
  'lets the last writer win': committing(async (set, store) => {
    const found = await store.read(
      null,
      (set.puts ?? []).map((put) => ({ get: put.in, key: keyOf(put.in, put.row) })),
    )
    const puts = (set.puts ?? []).map((put, at) => ({ ...put, was: found[at]?.rows[0] ?? null }))
    return { ...set, puts }
  }),
  'writes each put on its own': (store) => ({
    commit: async (set) => {
      const { puts = [], ...rest } = set
      for (const put of puts) {
        const outcome = await store.commit({ tenant: set.tenant, puts: [put] })
        if (!outcome.committed) return outcome
      }
      return store.commit(rest)
    },
  }),
  'counts what is refused': (store) => ({
    commit: async ({ adds, ...set }) => {
      if (adds) await store.commit({ tenant: set.tenant, adds })
      return store.commit(set)
    },
  }),
  'forgets the tenant when it reads': (store) => ({ read: (_, reads) => store.read(null, reads) }),
  'forgets the tenant when it commits': committing((set) => ({ ...set, tenant: null })),
  'drops unique rules': declaring(({ unique: _, ...collection }) => collection),
  'drops conditions of unique rules': declaring((collection) => ({
    ...collection,
    unique: Object.fromEntries(
      Object.entries(collection.unique ?? {}).map(([name, { on }]) => [name, { on }]),
    ),
  })),
  'tells one conflict of many': (store) => ({
    commit: async (set) => {
      const outcome = await store.commit(set)
      return outcome.committed ? outcome : { ...outcome, conflicts: [outcome.conflicts[0]] }
    },
  }),
  'does not raise the version with a claim': (store) => ({
    claim: async (query) =>
      (await store.claim(query)).map((row) => ({ ...row, version: row.version - 1 })),
  }),
  'claims what is not due': (store) => ({
    claim: (query) => store.claim({ ...query, now: query.leaseUntil - 1 }),
  }),
  'leases for ever': (store) => ({
    claim: (query) => store.claim({ ...query, leaseUntil: query.leaseUntil * 2 }),
  }),
  'claims the same row for two': (store) => ({
    claim: async (query) => {
      const one = await store.claim(query)
      return [...one, ...one]
    },
  }),
  'shows lanes before they are due': (store) => ({
    lanes: (query) => store.lanes({ ...query, now: query.now + 1 }),
  }),
  'begins a page of lanes at the cursor': (store) => ({
    lanes: (query) => store.lanes({ ...query, after: query.after.slice(0, -1) }),
  }),
  'counts a page for the whole': relisting((found, skip, take) => ({
    ...found,
    total: found.total === null ? null : Math.min(found.total, skip + take),
  })),
  'orders rows as JavaScript does': relisting((found) => ({
    ...found,
    rows: [...found.rows].sort((a, b) => {
      const [x, y] = [Object.values(Object(a.row)), Object.values(Object(b.row))].map(String)
      return x === y || x === undefined || y === undefined ? 0 : x < y ? -1 : 1
    }),
  })),
  'hands out a Buffer': telling((told) => {
    const row = told.row as Record<string, unknown>
    const { content } = row
    return content instanceof Uint8Array
      ? { ...told, row: { ...row, content: Buffer.from(content) } }
      : told
  }),
  'rounds integers': telling((told) => {
    const row = told.row as Record<string, unknown>
    return typeof row.rank === 'number'
      ? { ...told, row: { ...row, rank: Math.fround(row.rank) } }
      : told
  }),
  'forgets who holds a lease': telling((told) => ({ ...told, leasedBy: null })),
  'reads one after another': (store) => ({
    read: async (tenant, reads) => {
      const found: Found[] = []
      for (const read of reads) found.push(...(await store.read(tenant, [read])))
      return found
    },
  }),
  'shares one object among readers': (store) => {
    const told = new Map<string, readonly Found[]>()
    return {
      read: async (tenant, reads) => {
        const fresh = await store.read(tenant, reads)
        const name = JSON.stringify([tenant, reads, fresh])
        const before = told.get(name) ?? fresh
        told.set(name, before)
        return before
      },
    }
  },
  'ends a range early': committing((set) => ({
    ...set,
    ranges: (set.ranges ?? []).map((range) => ({
      ...range,
      window: Math.max(1, range.window - 1),
    })),
  })),
  'begins a range at its cursor anew': committing((set) => ({
    ...set,
    ranges: (set.ranges ?? []).map((range) => ({ ...range, after: null })),
  })),
  'fails a group for one set': (store) => {
    let failed = false
    return {
      commit: (set) =>
        store.commit(set).then(
          (outcome) => {
            if (failed) throw new Error('the group failed')
            return outcome
          },
          (error: unknown) => {
            failed = true
            throw error
          },
        ),
    }
  },
  'takes everything after close': (store) => ({
    close: async () => {},
    scrub: () => store.scrub(),
  }),
}

/** The test that must fail, by the mutant that it kills. */
const killers: Readonly<Record<string, string>> = {
  'ignores checks': 'two facts that check each other can not both move',
  'lets the last writer win':
    'a lease that ends lets the next claim in, and fences the first owner out',
  'writes each put on its own': 'a set with one moved version writes nothing of itself',
  'counts what is refused': 'counters add up whatever the order, and a refused set adds nothing',
  'forgets the tenant when it reads':
    "another tenant's rows are absent from gets, lists and counts",
  'forgets the tenant when it commits': "a range takes none of another tenant's rows",
  'drops unique rules': 'a unique value is held once in the whole service',
  'drops conditions of unique rules': 'a conditional rule binds the rows of its condition alone',
  'tells one conflict of many':
    'every moved version of a set is told, with the version that is there',
  'does not raise the version with a claim':
    'a lease that ends lets the next claim in, and fences the first owner out',
  'claims what is not due': 'rows come in order of due, and none before its time',
  'leases for ever': 'versions rise by one with each write and each claim',
  'claims the same row for two': '40 claims at once give each row to one owner',
  'shows lanes before they are due':
    'lanes come in their order behind a cursor, each with its first row',
  'begins a page of lanes at the cursor':
    'lanes come in their order behind a cursor, each with its first row',
  'counts a page for the whole': 'pages of an index, in either direction, give each row once',
  'orders rows as JavaScript does':
    'text is ordered by its bytes, not by UTF-16 units or a language',
  'hands out a Buffer': 'keeps every byte',
  'rounds integers': 'keeps integers up to 2^53',
  'forgets who holds a lease': 'versions rise by one with each write and each claim',
  'reads one after another': 'all reads of a call see one snapshot',
  'shares one object among readers': 'what a reader holds does not move with the store',
  'ends a range early': 'a range removes piece by piece until none is left, and nothing else',
  'begins a range at its cursor anew':
    'a range begins behind its cursor, even where that row is gone',
  'fails a group for one set': 'a malformed set among many fails alone',
  'takes everything after close':
    'what was asked before close is done, what is asked after it is refused',
}

const keys: Readonly<Record<string, readonly string[]>> = {
  notes: ['tenantId', 'noteId'],
  jobs: ['lane', 'number'],
  settings: ['name'],
}
const keyOf = (name: string, row: object) =>
  (keys[name] ?? []).map((column) => Reflect.get(row, column)) as unknown as readonly [string]

describe('store suite', () => {
  for (const [name, change] of Object.entries(mutants))
    it(`fails a store that ${name}`, async () => {
      const killer = `store: ${killers[name]}`
      const failures = await failuresOf(
        (test) =>
          storeSuite({
            test,
            create: async (declared) => {
              suiteLogs = declared.logs
              const store = createMemoryStore(declared)
              return { ...store, ...change(store, declared.collections) }
            },
          }),
        killer,
      )
      assert.ok(failures.has(killer), 'it passed')
    })

  it('fails a store that loses its last commit in a restart', async () => {
    const histories = new WeakMap<Store, ChangeSet[]>()
    const open = (declared: Parameters<typeof createMemoryStore>[0], sets: ChangeSet[]): Store => {
      const store = createMemoryStore(declared)
      const recording: Store = {
        ...store,
        commit: (set) => {
          sets.push(set)
          return store.commit(set)
        },
      }
      histories.set(recording, sets)
      return recording
    }
    const failures = await failuresOf((test) => {
      let declaredNow: Parameters<typeof createMemoryStore>[0] | undefined
      storeSuite({
        test,
        create: async (declared) => {
          declaredNow = declared
          return open(declared, [])
        },
        reopen: async (store) => {
          assert.ok(declaredNow)
          const sets = histories.get(store) ?? []
          const again = open(declaredNow, [])
          for (const set of sets.slice(0, -1)) await again.commit(set)
          return again
        },
      })
    })
    assert.ok(failures.has('store: every kind of change is there after a restart'))
  })
})
