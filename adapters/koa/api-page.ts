import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

// Found through the package, since a bundle of this module lies elsewhere.
const { resolve } = createRequire(import.meta.url)

/**
 * The page that describes both APIs and the events for people: one HTML file that asks for nothing else. Its inline
 * styles and script don't fit the portal's policy: serve it to operators. Null where this package was built without it.
 */
export async function readApiPage(): Promise<Uint8Array | null> {
  try {
    return await readFile(join(dirname(resolve('@countersign/koa')), 'api.html'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
