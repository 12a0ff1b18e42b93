import type { Collection, Value, Versioned } from '../ports/store.ts'

type Row = Readonly<Record<string, unknown>>

/** The encoding of a row's body, the members that are no column; a member that is undefined is left out. */
export interface BodyEncoding {
  pack(body: Row): Uint8Array
  unpack(body: Uint8Array): Row
}

/**
 * How bodies are written: plain MessagePack, which any tool reads; a member that is undefined is left out, as JSON leaves it
 * out. A row is data: a member `toJSON` is one as any other.
 */
export const bodySettings = { useRecords: false, skipValues: [undefined], useToJSON: false }

/** Bodies as MessagePack, by a packer that was made with `bodySettings`: the same bytes in every store. */
export function bodyEncodingBy(packer: {
  pack(body: unknown): Uint8Array
  unpack(body: Uint8Array): unknown
}): BodyEncoding {
  return {
    pack: (body) => packer.pack(body),
    // From plain bytes, bytes within come out plain too.
    unpack: (body) => packer.unpack(plainBytes(body)) as Row,
  }
}

/** The bytes of a Buffer, or of another view, as a plain Uint8Array over the same memory. */
export function plainBytes(view: Uint8Array): Uint8Array {
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength)
}

/**
 * Rows of a collection as values of a table whose columns are the declared ones, then version, leasedBy, body and the
 * declared bytes.
 */
export interface RowCodec {
  /** The members that are no column and not the bytes; null when there are none. */
  body(row: Row): Uint8Array | null
  bodyChanged(before: Row, after: Row): boolean
  values(row: Row): Value[]
  /** From the values of a row selected whole. */
  read(values: readonly unknown[]): Versioned
  /** Bytes of the body among such values. */
  bodySize(values: readonly unknown[]): number
}

/** The codec of a collection's rows. */
export function rowCodec(collection: Collection, bodies: BodyEncoding): RowCodec {
  const columns = Object.keys(collection.columns)
  const apart = new Set<string>(columns)
  if (collection.bytes) apart.add(collection.bytes)
  const blank = createBlank(collection.bytes ? [...columns, collection.bytes] : columns)
  const versionAt = columns.length
  const bodyAt = versionAt + 2

  return {
    body(row) {
      // A copy keeps the row's layout: filling a map costs two kilobytes of garbage for a row of thirty members.
      const body: Record<string, unknown> = { ...row }
      for (const name of apart) if (name in body) body[name] = undefined
      for (const name in body) if (body[name] !== undefined) return bodies.pack(body)
      return null
    },
    bodyChanged(before, after) {
      for (const name in after) if (!apart.has(name) && after[name] !== before[name]) return true
      for (const name in before) if (!apart.has(name) && !(name in after)) return true
      return false
    },
    values: (row) => columns.map((column) => row[column] as Value),
    read(values) {
      const body = values[bodyAt] ? bodies.unpack(values[bodyAt] as Uint8Array) : {}
      const row = blank(body)
      for (let at = 0; at < versionAt; at++) row[columns[at] as string] = values[at]
      for (const name in body) row[name] = body[name]
      if (collection.bytes) {
        const bytes = values[versionAt + 3]
        row[collection.bytes] = bytes ? plainBytes(bytes as Uint8Array) : null
      }
      return {
        row,
        version: values[versionAt] as number,
        leasedBy: values[versionAt + 1] as string | null,
      }
    },
    bodySize: (values) => (values[bodyAt] as Uint8Array | null)?.length ?? 0,
  }
}

/**
 * Makes objects with these members and a body's, as copies of a template: adding two dozen members one by one costs
 * more than decoding them.
 */
function createBlank(first: readonly string[]): (body: Row) => Record<string, unknown> {
  let names: readonly string[] = []
  let made = objectOf(first)
  return (body) => {
    const found = Object.keys(body)
    if (found.length !== names.length || found.some((name, at) => name !== names[at])) {
      names = found
      made = objectOf([...first, ...names])
    }
    return { ...made }
  }
}

/** Made by the JSON parser: V8 copies such objects fast at any size. */
function objectOf(names: readonly string[]): Record<string, unknown> {
  return JSON.parse(`{${names.map((name) => `${JSON.stringify(name)}:null`).join()}}`)
}
