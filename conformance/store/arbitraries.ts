import type { ChangeSet, Key, Put, Versioned, Where } from '@countersign/core/ports'
import fc from 'fast-check'
import { type Job, jobs, type Note, notes, type Setting, settings } from './collections.ts'
import type { StoreModel } from './model.ts'

/** Few values, so that keys, uniques and versions meet; among them every border that an order can trip over. */
export const tenants = fc.constantFrom('t1', 't2')
const noteIds = fc.constantFrom('n1', 'n2', 'N', '10', '9', 'ñ')
const words = fc.constantFrom(
  '',
  ' ',
  'a',
  'B',
  'b',
  'é',
  '\ufffd',
  '\u{1f600}',
  'a\u0301',
  '10',
  '9',
)
const integers = fc.constantFrom(
  Number.MIN_SAFE_INTEGER,
  -1,
  0,
  1,
  2,
  2 ** 31,
  2 ** 32 + 1,
  Number.MAX_SAFE_INTEGER,
)
const smallInts = fc.integer({ min: -2, max: 4 })
const bytes = fc.uint8Array({ maxLength: 5 })
export const lanes = fc.constantFrom('lane a', 'lane b', 'lane \u{1f600}', 'lane \ufffd')
export const moments = fc.integer({ min: 0, max: 12 })
export const counters = fc.constantFrom('quota t1', 'quota t2', 'all')

const note: fc.Arbitrary<Note> = fc.record({
  tenantId: tenants,
  noteId: noteIds,
  applicationId: fc.option(fc.constantFrom('app 1', 'app 2')),
  rank: fc.option(fc.oneof(smallInts, integers)),
  label: fc.option(words, { freq: 2 }),
  state: fc.constantFrom('open', 'closed'),
  tags: fc.array(words, { maxLength: 3 }),
  detail: fc.option(
    fc.record({
      seen: fc.boolean(),
      blob: bytes,
      size: fc.double({ noNaN: true, noDefaultInfinity: true }).filter((n) => !Object.is(n, -0)),
    }),
  ),
  content: fc.option(bytes),
})

const job: fc.Arbitrary<Job> = fc.record({
  lane: lanes,
  number: fc.integer({ min: 1, max: 4 }),
  tenantId: tenants,
  due: fc.option(moments, { freq: 4 }),
  claims: fc.constantFrom(0, 3),
  result: fc.option(words),
})

const setting: fc.Arbitrary<Setting> = fc.record({ name: words, value: fc.option(integers) })

/** A key of any collection, taken or not. */
export const keys: fc.Arbitrary<{ readonly of: string; readonly key: Key }> = fc.oneof(
  fc.tuple(tenants, noteIds).map((key) => ({ of: notes.name, key })),
  fc.tuple(lanes, fc.integer({ min: 1, max: 4 })).map((key) => ({ of: jobs.name, key })),
  fc.tuple(words).map((key) => ({ of: settings.name, key })),
)

const row = fc.oneof(
  note.map((made) => ({
    in: notes.name,
    row: made as object,
    key: [made.tenantId, made.noteId] as Key,
  })),
  job.map((made) => ({ in: jobs.name, row: made as object, key: [made.lane, made.number] as Key })),
  setting.map((made) => ({ in: settings.name, row: made as object, key: [made.name] as Key })),
)

/** How a writer came to the version that it names. */
const sight = fc.constantFrom('current', 'current', 'current', 'absent', 'behind', 'ahead')
type Sight = typeof sight extends fc.Arbitrary<infer T> ? T : never

function versionSeen(model: StoreModel, name: string, key: Key, how: Sight): number {
  const version = model.seen(name, key)?.version ?? 0
  if (how === 'absent') return 0
  if (how === 'behind') return Math.max(0, version - 1)
  return how === 'ahead' ? version + 1 : version
}

/**
 * What a put may have seen: the row as it is, an older one, or none; nobody has seen a version to come. Nor the
 * first one of a row that moved since: removed and made anew in the same race, it would be another row's.
 */
function versionedSeen(
  model: StoreModel,
  name: string,
  key: Key,
  row: object,
  how: Sight,
): Versioned | null {
  const now = model.seen(name, key)
  if (now === null || how === 'absent') return null
  if (how !== 'behind' || now.version < 3) return now
  return { row, version: now.version - 1, leasedBy: null }
}

const where: fc.Arbitrary<Where> = fc.array(
  fc.oneof(
    fc.tuple(
      fc.constant('rank'),
      fc.constantFrom('=', '<', '<=', '>', '>='),
      fc.oneof(smallInts, integers),
    ),
    fc.tuple(fc.constant('label'), fc.constantFrom('=', '<', '<=', '>', '>='), words),
    fc.tuple(
      fc.constantFrom('rank', 'label', 'applicationId'),
      fc.constant('='),
      fc.constant(null),
    ),
    fc.tuple(fc.constant('state'), fc.constant('='), fc.constantFrom('open', 'closed')),
    fc.tuple(fc.constant('tenantId'), fc.constantFrom('=', '>='), tenants),
    fc.tuple(fc.constant('noteId'), fc.constantFrom('=', '<', '>='), noteIds),
  ) as fc.Arbitrary<Where[number]>,
  { maxLength: 3 },
)

export const noteConditions: fc.Arbitrary<Where> = where

/** A change set as plain choices; what the writer saw is looked up when it runs. */
export interface Draft {
  readonly says: string
  build(model: StoreModel): ChangeSet
}

const piece = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('put' as const), row, sight, lease: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('check' as const), row, sight }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), row, sight }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('range' as const),
      where,
      after: fc.option(fc.tuple(tenants, noteIds)),
      window: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('add' as const),
      counter: counters,
      delta: smallInts,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('append' as const),
      log: fc.constantFrom('history', 'journal'),
      partition: tenants,
      entry: bytes,
    }),
  },
)

/** Well-formed sets only: a tenant's hold its own rows, and no key is written twice. */
export const drafts: fc.Arbitrary<Draft> = fc
  .record({
    tenant: fc.option(tenants, { freq: 2 }),
    pieces: fc.array(piece, { minLength: 1, maxLength: 5 }),
  })
  .map(({ tenant, pieces }) => ({
    says: fc.stringify({ tenant, pieces }),
    build(model) {
      const set = { checks: [], puts: [], removes: [], ranges: [], adds: [], appends: [] } as {
        -readonly [K in Exclude<keyof ChangeSet, 'tenant'>]-?: NonNullable<ChangeSet[K]>[number][]
      }
      const written = new Set<string>()
      for (const one of pieces) {
        if (one.kind === 'range') {
          set.ranges.push({
            in: notes.name,
            where: one.where,
            after: one.after,
            window: one.window,
          })
        } else if (one.kind === 'add') {
          set.adds.push({ counter: one.counter, delta: one.delta })
        } else if (one.kind === 'append') {
          const partition = one.log === 'history' && tenant !== null ? tenant : one.partition
          set.appends.push({ log: one.log, partition, entry: one.entry })
        } else {
          const { in: name, key } = one.row
          if (tenant !== null && name === settings.name) continue
          if (one.kind === 'check') {
            set.checks.push({ in: name, key, version: versionSeen(model, name, key, one.sight) })
            continue
          }
          const id = JSON.stringify([name, key])
          if (written.has(id)) continue
          written.add(id)
          if (one.kind === 'remove') {
            const version = Math.max(1, versionSeen(model, name, key, one.sight))
            set.removes.push({ in: name, key, version })
          } else {
            const owner = tenant !== null && name !== settings.name ? { tenantId: tenant } : {}
            const made = { ...one.row.row, ...owner }
            // A note's key begins with its tenant, which may have just been changed.
            const put: Put = {
              in: name,
              row: made,
              was: versionedSeen(model, name, keyAfter(name, key, made), made, one.sight),
              ...(one.lease && name === jobs.name && (made as unknown as Job).due !== null
                ? { leasedBy: 'maker' }
                : {}),
            }
            const again = JSON.stringify([name, keyAfter(name, key, made)])
            if (again !== id && written.has(again)) continue
            written.add(again)
            set.puts.push(put)
          }
        }
      }
      return { tenant, ...set }
    },
  }))

function keyAfter(name: string, key: Key, row: object): Key {
  return name === notes.name ? [(row as Note).tenantId, (row as Note).noteId] : key
}
