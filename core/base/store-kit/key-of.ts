import type { Collection, Key, Value } from '../ports/store.ts'

/** The key of a row, in the order in which the collection declares it. */
export function keyOf(collection: Collection, row: object): Key {
  const record = row as Readonly<Record<string, Value>>
  return collection.key.map((column) => record[column]) as unknown as Key
}

/** A row by one text. Keys of one part, which most are, need no brackets to be told from each other. */
export function rowId(collection: string, key: Key): string {
  return key.length === 1 ? `${collection} ${key[0]}` : JSON.stringify([collection, ...key])
}
