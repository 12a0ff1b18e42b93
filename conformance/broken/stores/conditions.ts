import type { Value, Where } from '@countersign/core/ports'
import { matches } from '../../store/order.ts'
import { type BrokenStore, faults } from './broken-store.ts'
import type { Change } from './host.ts'
import { listing, type Row } from './listing.ts'

const selection = 'each condition selects the rows that it says'

const matching = (change: (row: Row, where: Where) => boolean): Change =>
  listing({ matches: change })
/** Judges one condition after another. */
const each = (
  one: (found: Value, is: Where[number][1], value: Value) => boolean | undefined,
): Change =>
  matching((row, where) =>
    where.every((condition) => {
      const [column, is, value] = condition
      return one(row[column] ?? null, is, value) ?? matches(row, [condition])
    }),
  )

export const conditionFaults: readonly BrokenStore[] = faults('conditions', [
  ...[1, 2, 3, 4].map(
    (most) =>
      [
        `looks at ${most} conditions of a list`,
        selection,
        matching((row, where) => matches(row, where.slice(0, most))),
      ] as const,
  ),
  [
    'takes <= for <',
    selection,
    each((found, is, value) => (is === '<=' && found === value ? false : undefined)),
  ],
  [
    'takes > for >=',
    selection,
    each((found, is, value) => (is === '>' && found === value ? true : undefined)),
  ],
  [
    'finds null below every value',
    selection,
    each((found, is) => (found === null && (is === '<' || is === '<=') ? true : undefined)),
  ],
  [
    'finds null above every value',
    selection,
    each((found, is) => (found === null && (is === '>' || is === '>=') ? true : undefined)),
  ],
  [
    'finds nothing that equals null',
    selection,
    each((_, is, value) => (is === '=' && value === null ? false : undefined)),
  ],
  [
    'takes the empty text for null',
    selection,
    each((found, is, value) => (is === '=' && value === null && found === '' ? true : undefined)),
  ],
  [
    'compares text without case',
    selection,
    each((found, is, value) =>
      is === '=' && typeof found === 'string' && typeof value === 'string'
        ? found.toLowerCase() === value.toLowerCase()
        : undefined,
    ),
  ],
  [
    'compares text without trailing blanks',
    selection,
    each((found, is, value) =>
      is === '=' && typeof found === 'string' && typeof value === 'string'
        ? found.trimEnd() === value.trimEnd()
        : undefined,
    ),
  ],
  [
    'takes % for a pattern',
    selection,
    each((found, is, value) =>
      is === '=' && value === '%' && typeof found === 'string' ? true : undefined,
    ),
  ],
  [
    'compares text by UTF-16 units',
    selection,
    each((found, is, value) =>
      is === '<=' && typeof found === 'string' && typeof value === 'string'
        ? found <= value
        : undefined,
    ),
  ],
  [
    'compares integers by 32 bits',
    selection,
    each((found, is, value) =>
      is === '=' && typeof found === 'number' && typeof value === 'number'
        ? (found | 0) === (value | 0)
        : undefined,
    ),
  ],
  [
    'compares integers as single floats',
    selection,
    each((found, is, value) =>
      is === '=' && typeof found === 'number' && typeof value === 'number'
        ? Math.fround(found) === Math.fround(value)
        : undefined,
    ),
  ],
  [
    'counts rows whatever the conditions',
    selection,
    (store) => ({
      read: async (tenant, reads) => {
        const found = await store.read(tenant, reads)
        const bare = await store.read(
          tenant,
          reads.map((read) => ('list' in read ? { ...read, where: [] } : read)),
        )
        return found.map((one, at) => ({ ...one, total: bare[at]?.total ?? null }))
      },
    }),
  ],
])
