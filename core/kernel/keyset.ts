import { cursorLength, most, usualPageSize } from './ledger/limits.ts'
import type { Rows } from './ledger/read-part.ts'
import { listOf, object } from './members.ts'
import { count } from './page.ts'
import {
  type AnyShape,
  type InOf,
  line,
  type OutOf,
  type RowOf,
  type Shape,
  whole,
} from './shape.ts'
import { optional, orNull, usual } from './wrap.ts'

/** Which part of a list without pages is asked for: the first rows behind a cursor. */
export const behindCursor = {
  after: optional(line(cursorLength)),
  limit: usual(whole(1, most.pageSize), usualPageSize),
}

/** The answer of a list without pages. */
export function rowsShape<S extends AnyShape>(
  item: S,
  title: string,
): Shape<Rows<RowOf<S>>, Rows<InOf<S>>, Rows<OutOf<S>>> {
  const members = { rows: listOf(item), next: orNull(line(cursorLength)), totalCount: count }
  return object(members, title) as unknown as Shape<Rows<RowOf<S>>, Rows<InOf<S>>, Rows<OutOf<S>>>
}
