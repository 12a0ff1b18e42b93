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

/** Makes the file unless there is one; of several at once, one makes it. It is never seen half written. */
export async function createPrivate(path: string, text: string): Promise<void> {
  await throughDraft(path, text, async (draft) => {
    try {
      await link(draft, path)
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error
    }
  })
}

/** Puts the file in the place of what was there, at once. */
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
