import type { Collection, Key, Value } from '../ports/store.ts'

/** The key of a row, in the order in which the collection declares it. */
export function keyOf(collection: Collection, row: object): Key {
  const record = row as Readonly<Record<string, Value>>
  return collection.key.map((column) => record[column]) as unknown as Key
}
