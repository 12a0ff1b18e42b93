/** An object to be stored whole. */
export interface BlobObject {
  /** 1 to 512 characters: segments of `a-z 0-9 . _ -`, none of which begins with a dot, joined by `/`. */
  readonly path: string
  readonly bytes: Uint8Array
}

/** An object that is read in pieces; every piece comes from the object as it was when it was opened. */
export interface BlobReader {
  readonly size: number
  /** May be read once. Ends the reading when it is returned early. */
  readonly pieces: AsyncIterableIterator<Uint8Array>
}

/** An object that is written in pieces: nothing lies at its path before `commit` resolves. */
export interface BlobWriter {
  write(piece: Uint8Array): Promise<void>
  /** Durable when it resolves; replaces what lay at the path. */
  commit(): Promise<void>
  /** Leaves nothing behind; may follow a failed `write` or `commit`, and is idempotent. */
  abort(): Promise<void>
}

/** An object of a listing. */
export interface BlobEntry {
  readonly path: string
  readonly size: number
}

/**
 * Objects too large for rows: sealed payloads and archives. Calls reject with a `StoreError` when the store fails, or
 * `malformed` for a path of another form.
 */
export interface BlobStore {
  /**
   * Each object is whole and durable when it resolves; after a crash each is whole or as before. Idempotent: an object
   * replaces what lay at its path.
   */
  put(objects: readonly BlobObject[]): Promise<void>
  /** The bytes, whole; null where nothing lies at the path. */
  get(path: string): Promise<Uint8Array | null>
  /** For objects that do not fit into memory; null where nothing lies at the path. */
  open(path: string): Promise<BlobReader | null>
  create(path: string): Promise<BlobWriter>
  /** Gone for good when it resolves, after a crash too. A path where nothing lies is passed over. */
  remove(paths: readonly string[]): Promise<void>
  /** The first `take` objects, in the order of their paths by bytes, whose path begins with `prefix` and lies behind `after`. */
  list(query: {
    readonly prefix: string
    readonly after: string | null
    readonly take: number
  }): Promise<readonly BlobEntry[]>
}
