// Builds the documentation as static files: `npm run site`. Pages are composed of the documents and made from
// declarations, VitePress renders them into core/docs/.vitepress/dist/site, and every link of the result is looked up.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { build } from 'vitepress'
import { home } from './packages.mjs'
import { deadLinksOfSite } from './site/anchors.mjs'
import { composer } from './site/compose.mjs'
import { pages } from './site/pages.mjs'
import { documents, makeReference } from './site/reference.mjs'

const docs = join(home, 'core/docs')
const staged = join(docs, '.vitepress/dist/pages')
const site = join(docs, '.vitepress/dist/site')

const started = performance.now()
rmSync(staged, { recursive: true, force: true })
const { textOf, linkOf, images } = composer({
  root: home,
  pages,
  read: (file) => readFileSync(join(home, file), 'utf8'),
})
for (const page of pages) {
  const text = page.make ? `${textOf(page)}${makeReference(page.make, linkOf)}` : textOf(page)
  write(join(staged, `${page.path}.md`), text)
}
for (const [address, file] of images) copy(join(home, file), join(staged, 'public', address))
for (const [name, document] of Object.entries(documents()))
  write(join(staged, 'public', name), JSON.stringify(document))
const apiPage = join(home, 'adapters/koa/dist/api.html')
if (existsSync(apiPage)) copy(apiPage, join(staged, 'public/api.html'))

await build(docs)

const dead = deadLinksOfSite(site, (file) => file !== 'api.html')
for (const link of dead) console.error(`dead link: ${link}`)
if (dead.length) process.exit(1)
const seconds = ((performance.now() - started) / 1000).toFixed(1)
console.log(`${pages.length} pages in ${seconds} s: ${site}`)

function write(file, text) {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

function copy(from, to) {
  mkdirSync(dirname(to), { recursive: true })
  cpSync(from, to)
}
