import { StoreError } from '../errors/store-error.ts'
import type { Collection } from '../ports/store.ts'

const nameRule = /^[a-z][a-zA-Z0-9]{0,62}$/

/** Throws for a declaration that some adapter can't implement; called once, when a store opens. */
export function checkDeclaration(collection: Collection): void {
  const { name, columns, key, queue } = collection
  const bad = (detail: string): never => {
    throw new StoreError('malformed', `collection ${JSON.stringify(name)}: ${detail}`)
  }
  const named = (what: string, given: string) => {
    if (!nameRule.test(given))
      bad(`${what} ${JSON.stringify(given)} must be a lower-case letter, then letters and digits`)
  }
  const declared = (what: string, column: string, type?: 'text' | 'int') => {
    const found = columns[column]
    if (!found) bad(`${what} names ${JSON.stringify(column)}, which is no declared column`)
    if (type && found !== type) bad(`${what} needs a column of type ${type}, got ${found}`)
  }

  named('its name', name)
  const names = Object.keys(columns)
  for (const column of names) named('column', column)
  const folded = new Set(names.map((column) => column.toLowerCase()))
  if (folded.size !== names.length) bad('two columns differ in case alone')
  if (key.length === 0) bad('its key is empty')
  if (new Set(key).size !== key.length) bad('its key names a column twice')
  for (const column of key) declared('its key', column)
  for (const [index, on] of Object.entries(collection.indexes)) {
    named('index', index)
    if (index === 'key') bad('an index may not be called "key", which is the order of the keys')
    if (on.length === 0) bad(`index ${index} is empty`)
    for (const column of on) declared(`index ${index}`, column)
  }
  for (const [rule, { on, when }] of Object.entries(collection.unique ?? {})) {
    named('unique', rule)
    if (on.length === 0) bad(`unique ${rule} is empty`)
    for (const column of on) declared(`unique ${rule}`, column)
    if (when) declared(`the condition of unique ${rule}`, when.column)
  }
  if (queue) {
    declared('the lane of its queue', queue.lane, 'text')
    declared('the due time of its queue', queue.due, 'int')
    declared('the claims of its queue', queue.claims, 'int')
  }
  if (collection.bytes && columns[collection.bytes])
    bad(`its bytes ${JSON.stringify(collection.bytes)} may not be a column too`)
  for (const member of collection.sealed ?? [])
    if (columns[member]) bad(`its sealed ${JSON.stringify(member)} may not be a column too`)
  if (collection.tenant !== 'system') declared('its tenant', collection.tenant, 'text')
  if ('application' in collection.purge) declared('its purge', collection.purge.application, 'text')
  if ('by' in collection.retain) declared('its retention', collection.retain.by, 'int')
}
