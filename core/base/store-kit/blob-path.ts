import { StoreError } from '../errors/store-error.ts'

const longestPath = 512
/** No segment begins with a dot, so that none leads out of the store or to a file that an adapter hides. */
const form = /^[a-z0-9_-][a-z0-9._-]*(?:\/[a-z0-9_-][a-z0-9._-]*)*$/

/** Throws a `StoreError`, `malformed`, for a path that no blob store takes. */
export function checkBlobPath(path: string): void {
  if (path.length > longestPath)
    throw malformed(`expected at most ${longestPath} characters, got ${path.length}`)
  if (!form.test(path))
    throw malformed(
      `expected segments of a-z 0-9 . _ - that begin with no dot, joined by /, got ${JSON.stringify(path)}`,
    )
}

function malformed(detail: string): StoreError {
  return new StoreError('malformed', `path of a blob: ${detail}`)
}
