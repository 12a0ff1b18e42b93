import { type BrokenStore, faults } from './broken-store.ts'
import { answering, asking } from './wrap.ts'

const indexOrder = 'each index gives its order, nulls first, ties by key'
const pages = 'pages of an index, in either direction, give each row once'
const large = 'a list and a log give as many rows as are asked for'

export const pagingFaults: readonly BrokenStore[] = faults('paging', [
  [
    'counts a page for the whole',
    pages,
    answering((found, read) =>
      'list' in read && found.total !== null
        ? { ...found, total: Math.min(found.total, read.skip + read.take) }
        : found,
    ),
  ],
  [
    'skips one too few',
    pages,
    asking((read) => ('list' in read ? { ...read, skip: Math.max(0, read.skip - 1) } : read)),
  ],
  [
    'skips from the other end',
    pages,
    (store) => ({
      read: async (tenant, reads) => {
        const found = await store.read(
          tenant,
          reads.map((read) =>
            'list' in read && read.newest ? { ...read, skip: 0, take: 100_000 } : read,
          ),
        )
        return found.map((one, at) => {
          const read = reads[at]
          if (!read || !('list' in read) || !read.newest) return one
          const end = one.rows.length - read.skip
          return { ...one, rows: one.rows.slice(Math.max(0, end - read.take), Math.max(0, end)) }
        })
      },
    }),
  ],
  ...[50, 100, 500, 1_000].map(
    (most) =>
      [
        `gives ${most} rows of a list at most`,
        large,
        asking((read) => ('list' in read ? { ...read, take: Math.min(most, read.take) } : read)),
      ] as const,
  ),
  ...[100, 1_000].flatMap(
    (most) =>
      [
        [
          `skips ${most} rows at most`,
          large,
          asking((read) => ('list' in read ? { ...read, skip: Math.min(most, read.skip) } : read)),
        ],
        [
          `counts to ${most}`,
          large,
          answering((found, read) =>
            'list' in read && found.total !== null
              ? { ...found, total: Math.min(most, found.total) }
              : found,
          ),
        ],
        [
          `gives ${most} entries of a log at most`,
          large,
          asking((read) => ('log' in read ? { ...read, take: Math.min(most, read.take) } : read)),
        ],
      ] as const,
  ),
  [
    'takes none for all',
    indexOrder,
    asking((read) => ('list' in read && read.take === 0 ? { ...read, take: 100 } : read)),
  ],
])
