import type { Put, Value, Versioned } from '@countersign/core/ports'
import { createMemoryStore } from '@countersign/core/testing'
import { type BrokenStore, faults } from './broken-store.ts'
import type { Change } from './host.ts'
import { declaring, pause, wholeOf } from './wrap.ts'

type Row = Readonly<Record<string, Value>>

const once = 'a unique value is held once in the whole service'
const race = 'of 30 that take one name at once one gets it, and the others learn its key'
const updates = 'of 30 updates that make a rule bind at once one is committed'
const free = 'a value is free once its row lets go of it, and not before'
const distinct = '1,000 values that differ somewhere are different'
const conditional = 'a conditional rule binds the rows of its condition alone'

/** Judges the labels of a set itself, over a store without rules. */
const labels =
  ({
    of = (label) => label,
    judges = () => true,
    waits = false,
    inSet = true,
    taken = (rows) => rows,
  }: {
    /** What two labels have to share to be one. */
    readonly of?: (label: string | null) => string | null
    /** Whether a put is judged at all. */
    readonly judges?: (put: Put) => boolean
    /** Whether others can come between the look and the write. */
    readonly waits?: boolean
    /** The rows that a put is judged against. */
    /** Whether the earlier rows of a set count. */
    readonly inSet?: boolean
    readonly taken?: (
      rows: readonly Versioned[],
      ever: readonly Versioned[],
    ) => readonly Versioned[]
  }): Change =>
  (_, { declared }) => {
    const bare = createMemoryStore({
      collections: declared.collections.map(({ unique: __, ...collection }) => collection),
      logs: declared.logs,
    })
    const ever: Versioned[] = []
    const clash = async (puts: readonly Put[]) => {
      const rows = [...taken(await wholeOf(bare, null, 'notes'), ever)]
      for (const put of puts) {
        const row = put.row as Row
        const label = of(row.label as string | null)
        if (put.in !== 'notes' || label === null || !judges(put)) continue
        const other = rows.find(
          ({ row: held }) =>
            of((held as Row).label as string | null) === label &&
            (held as Row).noteId !== row.noteId,
        )
        if (other) return { row: other.row as Row, mine: row }
        if (inSet) rows.push({ row, version: 1, leasedBy: null })
      }
      return null
    }
    return {
      ...bare,
      commit: async (set) => {
        const puts = set.puts ?? []
        const found = await clash(puts)
        if (found) {
          const { row, mine } = found
          const told = set.tenant === null || row.tenantId === set.tenant ? row : mine
          return {
            committed: false,
            conflicts: [
              {
                kind: 'unique',
                in: 'notes',
                name: 'label',
                key: [told.tenantId ?? null, told.noteId ?? null],
              },
            ],
          }
        }
        if (waits) await pause()
        const outcome = await bare.commit(set)
        if (outcome.committed)
          for (const put of puts) ever.push({ row: put.row, version: 1, leasedBy: null })
        return outcome
      },
    }
  }

const within = (change: (name: string) => { readonly when?: boolean } | null): Change =>
  declaring((collection) => ({
    ...collection,
    unique: Object.fromEntries(
      Object.entries(collection.unique ?? {}).flatMap(([name, rule]) => {
        const kept = change(name)
        return kept === null ? [] : [[name, kept.when === false ? { on: rule.on } : rule]]
      }),
    ),
  }))

export const uniqueFaults: readonly BrokenStore[] = faults('unique rules', [
  ['keeps no unique rule', once, declaring(({ unique: _, ...collection }) => collection)],
  [
    'keeps the first rule of a collection alone',
    conditional,
    within((name) => (name === 'label' ? {} : null)),
  ],
  ['binds rows outside a rule’s condition', conditional, within(() => ({ when: false }))],
  [
    'keeps a rule within one tenant',
    once,
    declaring((collection) => ({
      ...collection,
      ...(collection.name === 'notes' && {
        unique: { ...collection.unique, label: { on: ['tenantId', 'label'] } },
      }),
    })),
  ],
  ['looks for the value, then writes', race, labels({ waits: true })],
  ['judges a rule for new rows alone', free, labels({ judges: ({ was }) => was === null })],
  [
    'keeps a value that its row gave up',
    free,
    labels({ taken: (rows, ever) => [...rows, ...ever] }),
  ],
  ['judges the rows before a set alone', free, labels({ inSet: false })],
  ['takes null for a value', once, labels({ of: (label) => label ?? 'null' })],
  ['compares values without case', once, labels({ of: (label) => label?.toLowerCase() ?? null })],
  ['compares values without blanks', distinct, labels({ of: (label) => label?.trim() ?? null })],
  [
    'compares values by their NFC form',
    distinct,
    labels({ of: (label) => label?.normalize('NFC') ?? null }),
  ],
  ...[64, 255].map(
    (most) =>
      [
        `compares the first ${most} characters`,
        distinct,
        labels({ of: (label) => label?.slice(0, most) ?? null }),
      ] as const,
  ),
  [
    'compares 16 bits of a hash',
    distinct,
    labels({ of: (label) => (label === null ? null : String(hash16(label))) }),
  ],
  [
    'looks who is open, then opens',
    updates,
    (_, { declared }) => {
      const bare = createMemoryStore({
        collections: declared.collections.map(({ unique: __, ...collection }) => collection),
        logs: declared.logs,
      })
      return {
        ...bare,
        commit: async (set) => {
          const opening = (set.puts ?? []).find((put) => (put.row as Row).state === 'open')
          const rows = await wholeOf(bare, null, 'notes')
          const open = rows.find(({ row }) => (row as Row).state === 'open')
          if (opening && open)
            return {
              committed: false,
              conflicts: [{ kind: 'unique', in: 'notes', name: 'openRank', key: ['t1', 'n'] }],
            }
          await pause()
          return bare.commit(set)
        },
      }
    },
  ],
  [
    'names the refused row, not the one in the way',
    race,
    (store) => ({
      commit: async (set) => {
        const outcome = await store.commit(set)
        const row = set.puts?.[0]?.row as Row | undefined
        if (outcome.committed || outcome.conflicts[0].kind !== 'unique' || !row) return outcome
        const key = [row.tenantId ?? null, row.noteId ?? null] as const
        return { committed: false, conflicts: [{ ...outcome.conflicts[0], key }] }
      },
    }),
  ],
])

function hash16(text: string): number {
  let hash = 0
  for (let at = 0; at < text.length; at++) hash = (hash * 31 + text.charCodeAt(at)) & 0xffff
  return hash
}
