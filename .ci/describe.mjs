// Writes the descriptions of the API from the built route table and event catalogue: `npm run describe`.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { home } from './packages.mjs'
import { makePage } from './page.mjs'

const koa = join(home, 'adapters/koa')
const built = (file) => import(pathToFileURL(join(koa, 'dist/description', file)).href)

const [{ describeApi, fileText }, { readSources }] = await Promise.all(
  ['documents.js', 'read-sources.js'].map(built),
)
for (const [name, document] of Object.entries(describeApi(await readSources()))) {
  writeFileSync(join(koa, 'description', name), fileText(document))
  console.log(`adapters/koa/description/${name}`)
}
await makePage(home)
console.log('adapters/koa/dist/api.html')
