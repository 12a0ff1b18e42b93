import type { Collection, Versioned, Where } from '../../base/ports/store.ts'

/** Where a collection keeps sealed values; declared in the collection's room, collected in `core/rooms.ts`. */
export interface SealedMembers<
  R extends object = Record<string, unknown>,
  Renewed extends object = R,
> {
  readonly collection: Collection<R>
  /** Narrows the rows that can have any; absent: all. */
  readonly where?: Where
  /** The row with each of its values replaced by what `change` returns for it, given the context that it is sealed for. */
  map(row: R, change: (sealed: Uint8Array, context: string) => Uint8Array): Renewed
}

/** Of any room. */
export type AnySealedMembers = SealedMembers<never, object>

/** One row's values, in order. */
export function valuesOf<R extends object>(
  members: SealedMembers<R>,
  { row }: Versioned<R>,
): readonly { readonly sealed: Uint8Array; readonly context: string }[] {
  const values: { sealed: Uint8Array; context: string }[] = []
  members.map(row, (sealed, context) => {
    values.push({ sealed, context })
    return sealed
  })
  return values
}
