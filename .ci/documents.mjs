// Makes the documents that describe the API, OpenAPI for each host and AsyncAPI for events, from the built route table.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** Where the documents are, below the root of a tree. */
export const documentsFolder = 'adapters/koa/dist/documents'

const builders = 'adapters/koa/dist/description'
/** What documents depend on: sources by the compiler's notes, which hold a digest of each; other files themselves. */
const inputs = [
  'core/dist/.tsbuildinfo',
  'adapters/koa/dist/.tsbuildinfo',
  'adapters/koa/description/samples.json',
  'adapters/koa/description/words.json',
  'adapters/koa/package.json',
  'core/docs/interface.md',
]

/** Writes the documents below `root`; `stale`: only if what they are made of changed. */
export async function makeDocuments(root, { stale }) {
  if (!existsSync(join(root, builders, 'documents.js'))) return
  const folder = join(root, documentsFolder)
  const notes = join(folder, '.inputs.json')
  const digest = digestOf(root)
  if (stale && isFresh(folder, notes, digest)) return
  const built = (file) => import(pathToFileURL(join(root, builders, file)).href)
  const [{ describeApi, fileText }, { readSources }] = await Promise.all(
    ['documents.js', 'read-sources.js'].map(built),
  )
  const documents = Object.entries(describeApi(readSources()))
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  for (const [name, document] of documents) writeFileSync(join(folder, name), fileText(document))
  writeFileSync(notes, JSON.stringify({ digest, outputs: documents.map(([name]) => name) }))
}

function isFresh(folder, notes, digest) {
  if (!existsSync(notes)) return false
  const made = JSON.parse(readFileSync(notes, 'utf8'))
  return made.digest === digest && made.outputs.every((name) => existsSync(join(folder, name)))
}

function digestOf(root) {
  const hash = createHash('sha256')
  for (const file of [fileURLToPath(import.meta.url), ...inputs.map((each) => join(root, each))])
    hash.update(file).update(readFileSync(file))
  return hash.digest('hex')
}
