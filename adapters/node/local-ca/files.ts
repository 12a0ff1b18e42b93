import { randomUUID } from 'node:crypto'
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises'

/** The text of a file, or null when there is none. */
export async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null
    throw error
  }
}

/** Creates the file unless it exists, atomically; of several processes, one creates it. */
export async function createPrivate(path: string, text: string): Promise<void> {
  await throughDraft(path, text, async (draft) => {
    try {
      await link(draft, path)
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error
    }
  })
}

/** Replaces the file atomically. */
export async function replacePrivate(path: string, text: string): Promise<void> {
  await throughDraft(path, text, (draft) => rename(draft, path))
}

async function throughDraft(
  path: string,
  text: string,
  publish: (draft: string) => Promise<void>,
): Promise<void> {
  const draft = `${path}.${randomUUID()}`
  try {
    await writeFile(draft, text, { mode: 0o600, flag: 'wx' })
    await publish(draft)
  } finally {
    await rm(draft, { force: true })
  }
}

const hasCode = (error: unknown, code: string) =>
  error instanceof Error && 'code' in error && error.code === code
