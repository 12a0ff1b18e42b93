import { compareValues } from '../../store/order.ts'
import { type BrokenStore, faults } from './broken-store.ts'
import { type Compare, listing, type Row } from './listing.ts'
import { answering, asking } from './wrap.ts'

const nulls =
  (compare: (a: string | number, b: string | number) => number): Compare =>
  (a, b) =>
    a === null || b === null ? compareValues(a, b) : compare(a, b)
const texts = (compare: (a: string, b: string) => number): Compare =>
  nulls((a, b) =>
    typeof a === 'string' && typeof b === 'string' ? compare(a, b) : compareValues(a, b),
  )
const integers = (compare: (a: number, b: number) => number): Compare =>
  nulls((a, b) =>
    typeof a === 'number' && typeof b === 'number' ? compare(a, b) : compareValues(a, b),
  )
const units = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
const by = (of: (text: string) => string) => texts((a, b) => compareValues(of(a), of(b)))

const bytewise = 'text is ordered by its bytes, not by UTF-16 units or a language'
const indexOrder = 'each index gives its order, nulls first, ties by key'

export const orderFaults: readonly BrokenStore[] = faults('order', [
  ['orders text by UTF-16 units', bytewise, listing({ compare: texts(units) })],
  [
    'orders text by a language',
    bytewise,
    listing({ compare: texts((a, b) => a.localeCompare(b, 'en')) }),
  ],
  ['orders text without case', bytewise, listing({ compare: by((text) => text.toLowerCase()) })],
  [
    'orders text by length first',
    bytewise,
    listing({ compare: texts((a, b) => a.length - b.length || units(a, b)) }),
  ],
  [
    'orders digits in text as numbers',
    bytewise,
    listing({ compare: texts((a, b) => a.localeCompare(b, 'en', { numeric: true })) }),
  ],
  [
    'orders text by its NFC form',
    bytewise,
    listing({ compare: by((text) => text.normalize('NFC')) }),
  ],
  [
    'orders text by its first 255 characters',
    indexOrder,
    listing({ compare: by((text) => text.slice(0, 255)) }),
  ],
  [
    'orders text without trailing blanks',
    indexOrder,
    listing({ compare: by((text) => text.trimEnd()) }),
  ],
  [
    'orders nulls last',
    indexOrder,
    listing({
      compare: (a, b) => (a === null || b === null ? -compareValues(a, b) : compareValues(a, b)),
    }),
  ],
  [
    'takes null for the empty text and for 0',
    indexOrder,
    listing({
      compare: (a, b) =>
        compareValues(a ?? (typeof b === 'number' ? 0 : ''), b ?? (typeof a === 'number' ? 0 : '')),
    }),
  ],
  [
    'orders integers as text',
    indexOrder,
    listing({ compare: integers((a, b) => units(String(a), String(b))) }),
  ],
  [
    'orders integers without sign',
    indexOrder,
    listing({ compare: integers((a, b) => Math.abs(a) - Math.abs(b)) }),
  ],
  [
    'orders integers by 32 bits',
    indexOrder,
    listing({ compare: integers((a, b) => (a | 0) - (b | 0)) }),
  ],
  [
    'orders integers as single floats',
    indexOrder,
    listing({ compare: integers((a, b) => Math.fround(a) - Math.fround(b)) }),
  ],
  [
    'leaves ties in the order of writing',
    indexOrder,
    listing({
      order: (columns, { by: index }) =>
        index === 'key' ? columns : columns.filter((name) => name !== 'noteId'),
    }),
  ],
  [
    'orders by the first column of an index',
    indexOrder,
    listing({
      order: (columns, { by: index }) => (index === 'byLabel' ? columns.slice(0, 1) : columns),
    }),
  ],
  ['keeps ties forwards when it reads backwards', indexOrder, listing({ tiesForward: true })],
  [
    'orders by key whatever the index',
    indexOrder,
    asking((read) => ('list' in read ? { ...read, by: 'key' } : read)),
  ],
  [
    'reads forwards alone',
    indexOrder,
    asking((read) => ('list' in read ? { ...read, newest: false } : read)),
  ],
  [
    'leaves rows with a null out of an index',
    indexOrder,
    answering((found, read) =>
      'list' in read && read.by === 'byLabel'
        ? { ...found, rows: found.rows.filter(({ row }) => (row as Row).label !== null) }
        : found,
    ),
  ],
])
