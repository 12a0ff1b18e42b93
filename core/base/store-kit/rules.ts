import { StoreError } from '../errors/store-error.ts'
import type { ChangeSet, Collection, Key, Log, Put, Read, Store, Where } from '../ports/store.ts'
import { isStorable } from '../text/text-rules.ts'
import { checkDeclaration } from './check-declaration.ts'
import { keyOf, rowId } from './key-of.ts'

/** Checks that every store makes first: names, types and tenants must fit the declarations. */
export interface StoreRules {
  readonly collections: readonly Collection[]
  readonly logs: readonly Log[]
  collection(name: string): Collection
  log(name: string): Log
  /** The collection as a queue; throws for one that is none. */
  queue(name: string): Collection & { readonly queue: NonNullable<Collection['queue']> }
  checkSet(set: ChangeSet): void
  /** As `checkSet`, a piece of so many rows at a time, with a yield between two. */
  checkInPieces(set: ChangeSet, rows: number): Generator<undefined, void>
  checkReads(tenant: string | null, reads: readonly Read[]): void
  checkClaim(query: Parameters<Store['claim']>[0]): void
}

const malformed = (message: string): StoreError => new StoreError('malformed', message)
const show = (value: unknown): string =>
  value === undefined ? 'nothing' : typeof value === 'bigint' ? `${value}n` : JSON.stringify(value)

/** The fault of a value for a column of that type, or null. Hot path: every value of every write. */
function faultOf(type: 'text' | 'int', value: unknown): string | null {
  if (value === null) return null
  if (type === 'int')
    return Number.isSafeInteger(value)
      ? null
      : `expected an integer below 2^53 or null, got ${show(value)}`
  if (typeof value !== 'string') return `expected text or null, got ${show(value)}`
  if (isStorable(value)) return null
  const what = value.includes('\0') ? 'NUL' : 'half a surrogate pair'
  return `text may not hold ${what}, got ${show(value)}`
}

function checkText(value: unknown, where: string): void {
  const fault = faultOf('text', value)
  if (fault) throw malformed(`${where}: ${fault}`)
}

function checkCount(value: unknown, where: string, least: number): void {
  if (!Number.isSafeInteger(value) || (value as number) < least)
    throw malformed(`${where}: expected an integer of at least ${least}, got ${show(value)}`)
}

/** Checks of change sets, reads and claims against what was declared; shared by all store adapters. */
export function createStoreRules(declared: {
  readonly collections: readonly Collection[]
  readonly logs: readonly Log[]
}): StoreRules {
  const collections = new Map<string, Collection>()
  for (const collection of declared.collections) {
    checkDeclaration(collection)
    if (collections.has(collection.name))
      throw malformed(`two collections are called ${show(collection.name)}`)
    collections.set(collection.name, collection)
  }
  const logs = new Map(declared.logs.map((log) => [log.name, log]))
  if (logs.size !== declared.logs.length) throw malformed('two logs have the same name')

  function collection(name: string): Collection {
    const found = collections.get(name)
    if (!found)
      throw malformed(
        `no collection ${show(name)}; declared: ${[...collections.keys()].join(', ')}`,
      )
    return found
  }

  function log(name: string): Log {
    const found = logs.get(name)
    if (!found) throw malformed(`no log ${show(name)}; declared: ${[...logs.keys()].join(', ')}`)
    return found
  }

  function checkTenant(tenant: string | null, of: Collection): void {
    if (tenant !== null && of.tenant === 'system')
      throw new StoreError(
        'foreign_tenant',
        `${of.name} belongs to the system; tenant ${show(tenant)} may not use it`,
      )
  }

  function checkKey(of: Collection, key: Key, what: string): void {
    if (!Array.isArray(key) || key.length !== of.key.length)
      throw malformed(
        `${what} of ${of.name}: expected a key of ${of.key.join(', ')}, got ${show(key)}`,
      )
    for (let at = 0; at < of.key.length; at++) {
      const column = of.key[at] as string
      if (key[at] === null) throw malformed(`${what} of ${of.name}: key column ${column} is null`)
      const fault = faultOf(of.columns[column] ?? 'text', key[at])
      if (fault) throw malformed(`${what} of ${of.name}, ${column}: ${fault}`)
    }
  }

  function checkWhere(of: Collection, where: Where): void {
    for (const [column, is, value] of where) {
      const type = of.columns[column]
      if (!type) throw malformed(`${of.name} has no column ${show(column)} to look for`)
      const fault = faultOf(type, value)
      if (fault) throw malformed(`a condition on ${of.name}.${column}: ${fault}`)
      if (value === null && is !== '=')
        throw malformed(`a condition on ${of.name}.${column}: null has no order, only "="`)
    }
  }

  function checkPut(tenant: string | null, put: Put): void {
    const of = collection(put.in)
    checkTenant(tenant, of)
    const row = put.row as Readonly<Record<string, unknown>>
    const seen = put.was?.row as Readonly<Record<string, unknown>> | undefined
    for (const column in of.columns) {
      const type = of.columns[column]
      // Unchanged values were checked when first written.
      if (seen && seen[column] === row[column] && row[column] !== undefined) continue
      const fault = type ? faultOf(type, row[column]) : null
      if (fault) throw malformed(`a put into ${of.name}, ${column}: ${fault}`)
    }
    for (const column of of.key)
      if (row[column] === null)
        throw malformed(`a put into ${of.name}: key column ${column} is null`)
    if (of.bytes) {
      const bytes = row[of.bytes]
      if (bytes !== null && !(bytes instanceof Uint8Array))
        throw malformed(`a put into ${of.name}, ${of.bytes}: expected a Uint8Array or null`)
    }
    if (of.queue && row[of.queue.due] !== null && !row[of.queue.lane])
      throw malformed(
        `a put into ${of.name}: a row that is due needs a lane, got ${show(row[of.queue.lane])}`,
      )
    if (put.leasedBy !== undefined) {
      checkText(put.leasedBy, `the owner of a put into ${of.name}`)
      if (!of.queue || row[of.queue.due] === null)
        throw malformed(`a put into ${of.name}: only a row that is due can be leased`)
    }
    if (tenant !== null && of.tenant !== 'system' && row[of.tenant] !== tenant)
      throw new StoreError(
        'foreign_tenant',
        `a put into ${of.name}: the row is of tenant ${show(row[of.tenant])}, the set of ${show(tenant)}`,
      )
    if (put.was && seen) {
      checkCount(put.was.version, `the version seen by a put into ${of.name}`, 1)
      for (const column of of.key)
        if (seen[column] !== row[column])
          throw malformed(`a put into ${of.name}: ${column} is of the key and may not change`)
    }
  }

  /** Refuses a key that comes twice in a set: stores differ in the order of writes. */
  function refuseTwice({ puts = [], removes = [] }: ChangeSet) {
    const counts = new Map<string, number>()
    for (const { in: name } of puts) counts.set(name, (counts.get(name) ?? 0) + 1)
    for (const { in: name } of removes) counts.set(name, (counts.get(name) ?? 0) + 1)
    const seen = new Set<string>()
    const note = (name: string, keyOfWrite: () => Key) => {
      // Most sets write one row of each collection that they touch.
      if (counts.get(name) === 1) return
      const id = rowId(name, keyOfWrite())
      if (seen.has(id)) throw malformed(`a set writes ${show([name, ...keyOfWrite()])} twice`)
      seen.add(id)
    }
    return {
      put: (put: Put) => note(put.in, () => keyOf(collection(put.in), put.row)),
      remove: (remove: NonNullable<ChangeSet['removes']>[number]) =>
        note(remove.in, () => remove.key),
    }
  }

  function checkPartition(tenant: string | null, of: Log, partition: string): void {
    checkText(partition, `a partition of ${of.name}`)
    if (typeof partition !== 'string') throw malformed(`a partition of ${of.name} is missing`)
    if (tenant !== null && of.perTenant && partition !== tenant)
      throw new StoreError(
        'foreign_tenant',
        `log ${of.name}: partition ${show(partition)} is not of tenant ${show(tenant)}`,
      )
  }

  function checkSet(set: ChangeSet): void {
    const { tenant, puts = [], removes = [] } = set
    checkAllButPuts(set)
    for (const put of puts) checkPut(tenant, put)
    const twice = refuseTwice(set)
    for (const put of puts) twice.put(put)
    for (const remove of removes) twice.remove(remove)
  }

  function* checkInPieces(set: ChangeSet, rows: number): Generator<undefined, void> {
    const { tenant, puts = [], removes = [] } = set
    checkAllButPuts(set)
    for (let at = 0; at < puts.length; at += rows) {
      for (const put of puts.slice(at, at + rows)) checkPut(tenant, put)
      yield
    }
    const twice = refuseTwice(set)
    for (const remove of removes) twice.remove(remove)
    for (let at = 0; at < puts.length; at += rows) {
      for (const put of puts.slice(at, at + rows)) twice.put(put)
      yield
    }
  }

  function checkAllButPuts(set: ChangeSet): void {
    const { tenant } = set
    for (const check of set.checks ?? []) {
      const of = collection(check.in)
      checkTenant(tenant, of)
      checkKey(of, check.key, 'a check')
      checkCount(check.version, `the version of a check of ${of.name}`, 0)
    }
    for (const remove of set.removes ?? []) {
      const of = collection(remove.in)
      checkTenant(tenant, of)
      checkKey(of, remove.key, 'a remove')
      checkCount(remove.version, `the version of a remove of ${of.name}`, 1)
    }
    for (const range of set.ranges ?? []) {
      const of = collection(range.in)
      checkTenant(tenant, of)
      checkWhere(of, range.where)
      if (range.after) checkKey(of, range.after, 'the start of a range')
      checkCount(range.window, `the window of a range of ${of.name}`, 1)
    }
    for (const add of set.adds ?? []) {
      checkText(add.counter, 'the name of a counter')
      if (!Number.isSafeInteger(add.delta))
        throw malformed(`counter ${show(add.counter)}: expected an integer, got ${show(add.delta)}`)
    }
    for (const append of set.appends ?? []) {
      const of = log(append.log)
      checkPartition(tenant, of, append.partition)
      if (!(append.entry instanceof Uint8Array))
        throw malformed(`log ${of.name}: expected an entry of bytes, got ${show(append.entry)}`)
    }
  }

  function checkReads(tenant: string | null, reads: readonly Read[]): void {
    for (const read of reads) {
      if ('get' in read) {
        const of = collection(read.get)
        checkTenant(tenant, of)
        checkKey(of, read.key, 'a get')
      } else if ('list' in read) {
        const of = collection(read.list)
        checkTenant(tenant, of)
        checkWhere(of, read.where)
        if (read.by !== 'key' && !Object.hasOwn(of.indexes, read.by))
          throw malformed(`${of.name} has no index ${show(read.by)} to list by`)
        checkCount(read.skip, `the skip of a list of ${of.name}`, 0)
        checkCount(read.take, `the take of a list of ${of.name}`, 0)
        if (typeof read.count === 'number')
          checkCount(read.count, `the count of a list of ${of.name}`, 1)
      } else if ('counter' in read) {
        checkText(read.counter, 'the name of a counter')
      } else {
        const of = log(read.log)
        checkPartition(tenant, of, read.partition)
        checkCount(read.after, `the position behind which log ${of.name} is read`, 0)
        checkCount(read.take, `the take of log ${of.name}`, 0)
      }
    }
  }

  function queue(name: string): ReturnType<StoreRules['queue']> {
    const of = collection(name)
    if (!of.queue) throw malformed(`${of.name} is no queue`)
    return of as ReturnType<StoreRules['queue']>
  }

  function checkClaim(query: Parameters<Store['claim']>[0]): void {
    const of = queue(query.in)
    checkCount(query.now, `the time of a claim from ${of.name}`, 0)
    if (!Number.isSafeInteger(query.leaseUntil) || query.leaseUntil <= query.now)
      throw malformed(
        `a claim from ${of.name}: the lease must end after ${query.now}, got ${show(query.leaseUntil)}`,
      )
    checkText(query.owner, `the owner of a claim from ${of.name}`)
    for (const ask of query.asks) {
      checkText(ask.lane, `a lane of ${of.name}`)
      checkCount(ask.take, `the take of a claim from ${of.name}`, 0)
    }
  }

  return {
    collections: [...collections.values()],
    logs: [...logs.values()],
    collection,
    log,
    queue,
    checkSet,
    checkInPieces,
    checkReads,
    checkClaim,
  }
}
