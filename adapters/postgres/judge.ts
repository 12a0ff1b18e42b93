import type { Conflict, Key } from '@countersign/core/ports'
import type { EncodedSet } from '@countersign/core/store-kit'
import type { Connection } from './connection.ts'
import { compareKeys, type Table, transpose } from './table.ts'

/** What holds a key: its version and its tenant, null for the system's. */
export interface Holder {
  readonly version: number
  readonly tenant: string | null
}

/** Rows by `idOf`. */
export type Holders = ReadonlyMap<string, Holder>

export const idOf = (name: string, key: Key): string => `${name} ${JSON.stringify(key)}`

/** The keys of a collection that sets write or rely on, each once, in the order in which rows are locked. */
export function keysOf(
  name: string,
  sets: readonly EncodedSet[],
  which: 'writes' | 'checks' | 'both',
): readonly Key[] {
  const found = new Map<string, Key>()
  const note = (of: { readonly in: string; readonly key: Key }) => {
    if (of.in === name) found.set(JSON.stringify(of.key), of.key)
  }
  for (const { writes, checks } of sets) {
    if (which !== 'checks') for (const write of writes) note(write)
    if (which !== 'writes') for (const check of checks) note(check)
  }
  return [...found.values()].sort(compareKeys)
}

/** Looks who holds these keys, and locks the rows that there are. */
export async function lookUp(
  { run }: Pick<Connection, 'run'>,
  table: Table,
  keys: readonly Key[],
  lock: Parameters<Table['holders']>[0],
): Promise<readonly (readonly [id: string, holder: Holder])[]> {
  if (keys.length === 0) return []
  const { collection, keyTypes } = table
  const places = keys.map((_, at) => at)
  const { rows } = await run(table.holders(lock), [...transpose(keys, keyTypes.length), places])
  return (rows as readonly (readonly [number, number, string | null])[]).map(
    ([at, version, tenant]) =>
      [idOf(collection.name, keys[at] as Key), { version, tenant }] as const,
  )
}

/** Whether the tenant may know of what holds a key. */
export function sees(table: Table, tenant: string | null, holder: Holder | undefined): boolean {
  return (
    holder !== undefined &&
    (tenant === null || table.collection.tenant === 'system' || holder.tenant === tenant)
  )
}

/** Every version that moved, in the order in which the port lists them: checks, puts, removes. */
export function movedOf(
  table: (name: string) => Table,
  holders: Holders,
  { tenant, checks, writes }: EncodedSet,
): readonly Conflict[] {
  const conflicts: Conflict[] = []
  const judge = (name: string, key: Key, version: number, creates: boolean) => {
    const holder = holders.get(idOf(name, key))
    const now = sees(table(name), tenant, holder) ? (holder?.version ?? 0) : 0
    if (now !== version || (creates && holder !== undefined))
      conflicts.push({ kind: 'version', in: name, key, now })
  }
  for (const { in: name, key, version } of checks) judge(name, key, version, false)
  for (const kind of ['put', 'remove'])
    for (const write of writes)
      if ((write.kind === 'remove') === (kind === 'remove'))
        judge(write.in, write.key, write.version, write.version === 0)
  return conflicts
}
