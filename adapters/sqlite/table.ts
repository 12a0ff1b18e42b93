import type { Collection, Key, Value, Versioned } from '@countersign/core/ports'
import { type EncodedWrite, rowCodec } from '@countersign/core/store-kit'
import { bodyEncoding } from './body-encoding.ts'
import type { SqliteStatement } from './driver.ts'
import { type Layout, layoutOf, list, literal, marks, quote } from './layout.ts'
import type { RowCache } from './row-cache.ts'
import type { Statements } from './statements.ts'

/** What holds a key: its version and its tenant, null for the system's. */
export interface Holder {
  readonly version: number
  readonly tenant: string | null
}

export interface Table {
  readonly layout: Layout
  readonly collection: Collection
  /** What `get` would answer, null for none, where the file need not be asked; undefined where it must be. */
  cached(tenant: string | null, key: Key): Versioned | null | undefined
  get(tenant: string | null, key: Key): Versioned | undefined
  /** To be called by whoever writes the row in another way than by `write`. */
  forget(key: Key): void
  holder(key: Key): Holder | undefined
  /** Whether the tenant may know of what holds a key. */
  sees(tenant: string | null, holder: Holder | undefined): holder is Holder
  /** Whether it met the row that it expected. */
  write(tenant: string | null, write: EncodedWrite): boolean
  /** The first unique rule that this row would break, and the key of the row in the way. */
  clash(
    row: Readonly<Record<string, Value>>,
    key: Key,
  ): { readonly name: string; readonly key: Key } | undefined
  read(values: unknown): Versioned
}

type Row = Readonly<Record<string, unknown>>

/**
 * The column that a tenant's write is checked against, if any: a row that is put has been found to be the tenant's
 * own where the tenant is part of the key.
 */
function guardOf({ tenant, key }: Collection, kind: EncodedWrite['kind']): string | null {
  if (tenant === 'system') return null
  return kind === 'remove' || !key.includes(tenant) ? tenant : null
}

/** A collection's rows in its table; statements are prepared when first used, one for each shape. */
export function openTable(collection: Collection, statements: Statements, cache: RowCache): Table {
  const layout = layoutOf(collection)
  const codec = rowCodec(collection, bodyEncoding)
  const { table, columns, key: keyColumns } = layout
  const { bytes, tenant: owner } = collection
  const byKey = `${keyColumns.map((column) => `${quote(column)} = ?`).join(' AND ')}`

  const select = `SELECT ${layout.selected} FROM ${table} WHERE ${byKey}`
  const hold = `SELECT _version, ${owner === 'system' ? 'NULL' : quote(owner)} FROM ${table} WHERE ${byKey}`
  const inserted = [...columns, '_leasedBy', '_body', ...(bytes ? [bytes] : [])]
  // A row in the way, by its key or by a unique rule, is a conflict to tell, not an error to throw.
  const insert = `INSERT INTO ${table} (${list(inserted)}, _version) VALUES (${marks(inserted.length)}, 1) ON CONFLICT DO NOTHING`
  const match = (kind: EncodedWrite['kind'], ofTenant: boolean) => {
    const guard = ofTenant ? guardOf(collection, kind) : null
    return `${byKey} AND _version = ?${guard ? ` AND ${quote(guard)} = ?` : ''}`
  }
  const updates = new Map<string, SqliteStatement>()
  // Bytes are messages' bodies, which are read once.
  const rows = bytes ? null : cache.rows()

  function update(changed: readonly string[], ofTenant: boolean): SqliteStatement {
    const shape = `${ofTenant} ${changed.join()}`
    const found = updates.get(shape)
    if (found) return found
    const set = [...changed, '_leasedBy'].map((column) => `${quote(column)} = ?, `).join('')
    const made = statements.of(
      `UPDATE OR IGNORE ${table} SET ${set}_version = _version + 1 WHERE ${match('update', ofTenant)}`,
    )
    updates.set(shape, made)
    return made
  }

  /** What a statement binds behind its values to meet the row that was seen. */
  function matched({ kind, key, version }: EncodedWrite, tenant: string | null): unknown[] {
    if (kind === 'insert') return []
    const guarded = tenant !== null && guardOf(collection, kind)
    return guarded ? [...key, version, tenant] : [...key, version]
  }

  function statementOf({ kind, columns: changed }: EncodedWrite, ofTenant: boolean) {
    switch (kind) {
      case 'insert':
        return statements.of(insert)
      case 'update':
        return update(changed, ofTenant)
      case 'remove':
        return statements.of(`DELETE FROM ${table} WHERE ${match(kind, ofTenant)}`)
    }
  }

  const uniques = Object.entries(collection.unique ?? {}).map(([name, { on, when }]) => {
    const condition = when ? ` AND ${quote(when.column)} IS ${literal(when.is)}` : ''
    const equal = on.map((column) => `${quote(column)} = ?`).join(' AND ')
    const other = `(${list(keyColumns)}) <> (${marks(keyColumns.length)})`
    return {
      name,
      on,
      when,
      sql: `SELECT ${list(keyColumns)} FROM ${table} WHERE ${equal}${condition} AND ${other}`,
    }
  })

  const sees = (tenant: string | null, holder: Holder | undefined): holder is Holder =>
    holder !== undefined && (tenant === null || owner === 'system' || holder.tenant === tenant)

  function shown(tenant: string | null, found: Versioned): Versioned | undefined {
    const of = owner === 'system' ? null : ((found.row as Row)[owner] as string | null)
    return sees(tenant, { version: found.version, tenant: of }) ? found : undefined
  }

  return {
    layout,
    collection,
    cached: (tenant, key) => {
      const found = rows?.get(key)
      return found ? (shown(tenant, found) ?? null) : found
    },
    get(tenant, key) {
      const values = statements.of(select).get(key)
      if (!values) {
        rows?.keep(key, null, 0)
        return undefined
      }
      const found = codec.read(values as unknown[])
      rows?.keep(key, found, codec.bodySize(values as unknown[]))
      return shown(tenant, found)
    },
    forget: (key) => rows?.forget(key),
    holder(key) {
      const found = statements.of(hold).get(key) as [number, string | null] | undefined
      return found && { version: found[0], tenant: found[1] }
    },
    sees,
    write(tenant, write) {
      rows?.forget(write.key)
      const bound = [...write.values, ...matched(write, tenant)]
      return statementOf(write, tenant !== null).run(bound).changes === 1
    },
    clash(row, key) {
      for (const { name, on, when, sql } of uniques) {
        if (when && row[when.column] !== when.is) continue
        const values = on.map((column) => row[column] ?? null)
        if (values.includes(null)) continue
        const found = statements.of(sql).get([...values, ...key])
        if (found) return { name, key: found as unknown as Key }
      }
      return undefined
    },
    read: (values) => codec.read(values as unknown[]),
  }
}
