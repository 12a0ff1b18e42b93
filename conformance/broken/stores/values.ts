import type { Store, Versioned } from '@countersign/core/ports'
import { type BrokenStore, faults } from './broken-store.ts'
import { answering, committing, telling } from './wrap.ts'

const absent = "another tenant's rows are absent from gets, lists and counts"

/** A value that comes back otherwise. */
export const valueFaults: readonly BrokenStore[] = faults('values', [
  ['hands out a Buffer', 'keeps every byte', telling(content((bytes) => Buffer.from(bytes)))],
  [
    'keeps no empty bytes',
    'keeps empty bytes',
    telling(content((bytes) => (bytes.length ? bytes : null))),
  ],
  [
    'keeps bytes as UTF-8 text',
    'keeps every byte',
    telling(content((bytes) => new TextEncoder().encode(new TextDecoder().decode(bytes)))),
  ],
  [
    'gives the buffer around the bytes',
    'keeps bytes of a part of a buffer',
    committing((set) => ({
      ...set,
      puts: (set.puts ?? []).map((put) => ({
        ...put,
        row: withContent(put.row, (bytes) => new Uint8Array(bytes.buffer)),
      })),
    })),
  ],
  ...[65_535, 2 ** 20].map(
    (most) =>
      [
        `cuts bytes at ${most}`,
        'keeps more than a megabyte',
        telling(content((bytes) => bytes.slice(0, most))),
      ] as const,
  ),
  [
    'takes the empty text for null',
    'keeps empty text',
    telling(member('label', (value) => (value === '' ? null : value))),
  ],
  [
    'trims text',
    'keeps text with blanks at its ends',
    telling(member('label', (value) => (typeof value === 'string' ? value.trim() : value))),
  ],
  [
    'normalizes text',
    'keeps text in the form that it has',
    telling(
      member('label', (value) => (typeof value === 'string' ? value.normalize('NFC') : value)),
    ),
  ],
  [
    'keeps text of the basic plane',
    'keeps text of every plane',
    telling(
      member('label', (value) =>
        typeof value === 'string' ? value.replaceAll(/[\u{10000}-\u{10ffff}]/gu, '?') : value,
      ),
    ),
  ],
  [
    'cuts text at 255 characters',
    'keeps long text',
    telling(member('label', (value) => (typeof value === 'string' ? value.slice(0, 255) : value))),
  ],
  [
    'cuts a body at 64 KiB',
    'keeps a large body',
    telling(
      member('tags', (value) =>
        Array.isArray(value) && String(value).length > 65_536 ? [] : value,
      ),
    ),
  ],
  [
    'rounds integers to single floats',
    'keeps integers up to 2^53',
    telling(member('rank', (value) => (typeof value === 'number' ? Math.fround(value) : value))),
  ],
  [
    'keeps 32 bits of an integer',
    'keeps integers down to -2^53',
    telling(member('rank', (value) => (typeof value === 'number' ? value | 0 : value))),
  ],
  [
    'takes 0 for null',
    'keeps zero',
    telling(member('rank', (value) => (value === 0 ? null : value))),
  ],
  [
    'loses bytes inside the body',
    'keeps bytes in the body',
    telling(
      member('detail', (value) => (value === null ? null : JSON.parse(JSON.stringify(value)))),
    ),
  ],
  [
    'shares one object among readers',
    'what a reader holds does not move with the store',
    (store) => {
      const told = new Map<string, Awaited<ReturnType<Store['read']>>>()
      return {
        read: async (tenant, reads) => {
          const fresh = await store.read(tenant, reads)
          const name = JSON.stringify([tenant, reads, fresh])
          const before = told.get(name) ?? fresh
          told.set(name, before)
          return before
        },
      }
    },
  ],
  [
    'tells the total of a get',
    absent,
    answering((found, read) => ('get' in read ? { ...found, total: found.rows.length } : found)),
  ],
  [
    'keeps what is malformed',
    'what is malformed is refused with a reason, and nothing of it written',
    (store) => ({
      commit: (set) => store.commit(set).catch(() => ({ committed: true, ranges: [] })),
    }),
  ],
  [
    'refuses without a code',
    'what is malformed is refused with a reason, and nothing of it written',
    (store) => ({
      commit: (set) =>
        store.commit(set).catch(() => {
          throw new Error('constraint failed')
        }),
    }),
  ],
])

function withContent(row: object, change: (bytes: Uint8Array) => Uint8Array | null): object {
  const bytes = (row as { readonly content?: unknown }).content
  return bytes instanceof Uint8Array ? { ...row, content: change(bytes) } : row
}

function content(change: (bytes: Uint8Array) => Uint8Array | null) {
  return (told: Versioned): Versioned => ({ ...told, row: withContent(Object(told.row), change) })
}

function member(name: string, change: (value: unknown) => unknown) {
  return (told: Versioned): Versioned => {
    const row = Object(told.row) as Readonly<Record<string, unknown>>
    return Object.hasOwn(row, name) ? { ...told, row: { ...row, [name]: change(row[name]) } } : told
  }
}
