import { open } from 'node:fs/promises'
import { nodeTools, sourceOf } from '../verify/node-files.ts'
import { readZip, type ZipReader } from '../verify/zip-reader.ts'

/** Opens a pack in a file, which is open until `close`. */
export async function openZip(path: string): Promise<ZipReader & { close(): Promise<void> }> {
  const handle = await open(path)
  try {
    const zip = await readZip(await sourceOf(handle), nodeTools)
    return { ...zip, close: () => handle.close() }
  } catch (error) {
    await handle.close()
    throw error
  }
}
