import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { home } from '../packages.mjs'
import { deadLinksOfSite } from '../site/anchors.mjs'
import { composer } from '../site/compose.mjs'
import { pages, sections } from '../site/pages.mjs'
import { makeReference } from '../site/reference.mjs'
import { plantFiles } from './plant.mjs'

const docs = {
  'README.md':
    '# Top\n\nHello, [kit](kit/README.md#use), [all](kit), [code](kit/a.ts), ![](kit/b.png).\n\n## Install\nNow. See [top](#top) and [deep](docs/c.md#one-1).\n',
  'kit/README.md':
    '# kit\n\nIt is.\n\n# For users\n\n## Use\n[up](../README.md#install)\n\n# For those who change it\n\nNo.\n\n## Inside\n',
  'kit/a.ts': '',
  'kit/b.png': '',
  'docs/c.md': '# C\n## One\n## One\n',
}
const all = [
  { path: 'index', title: 'Start', of: [{ file: 'README.md', take: [''] }] },
  { path: 'start/install', title: 'Install', of: [{ file: 'README.md', take: ['Install'] }] },
  { path: 'kit', title: 'The kit', of: [{ file: 'kit/README.md' }] },
  { path: 'c', title: 'C', of: [{ file: 'docs/c.md' }] },
]

function compose(t, files = docs, own = all) {
  const root = plantFiles(t, files)
  return composer({ root, pages: own, read: (file) => files[file] })
}

test('pages have chapters with their anchors, and links between each other', (t) => {
  const { textOf, images } = compose(t)
  const [index, install, kit, c] = all.map((page) => textOf(page))
  assert.equal(
    index,
    '# Start\n\nHello, [kit](/kit#use), [all](/kit), [code](https://github.com/countersign/countersign/blob/main/kit/a.ts), ![](/images/kit-b.png).',
  )
  assert.equal(install, '# Install {#install}\nNow. See [top](/) and [deep](/c#one-1).')
  assert.equal(kit, '# The kit\n\nIt is.\n\n## Use {#use}\n[up](/start/install#install)')
  assert.equal(c, '# C\n\n## One {#one}\n\n## One {#one-1}')
  assert.deepEqual([...images], [['/images/kit-b.png', 'kit/b.png']])
})

test('a link to what is for those who change it leads into the repository', (t) => {
  const files = { ...docs, 'docs/c.md': '# C\n[in](../kit/README.md#inside)\n' }
  const { textOf } = compose(
    t,
    files,
    all.with(1, { ...all[1], of: [{ file: 'README.md', take: ['Install'] }] }),
  )
  assert.equal(
    textOf(all[3]),
    '# C\n\n[in](https://github.com/countersign/countersign/blob/main/kit/README.md#inside)',
  )
})

test('each chapter is on one page', (t) => {
  assert.throws(() => compose(t, docs, all.toSpliced(1, 1)), /no page has "Install" of README.md/)
  assert.throws(
    () => compose(t, docs, [...all, { ...all[1], path: 'again' }]),
    /again has README.md#install too/,
  )
  const unknown = { path: 'x', title: 'X', of: [{ file: 'docs/c.md', take: ['Two'] }] }
  assert.throws(
    () => compose(t, docs, [...all, unknown]),
    /x takes "Two", which docs\/c.md does not have/,
  )
  const both = { path: 'c', title: 'C', of: [{ file: 'docs/c.md' }, { file: 'docs/d.md' }] }
  const files = { ...docs, 'docs/d.md': '## One\n' }
  assert.throws(
    () => compose(t, files, all.with(3, both)),
    /c has two headings with the anchor one/,
  )
})

test('every chapter for users of every document is on the site', () => {
  const { textOf, linkOf } = composer({
    root: home,
    pages,
    read: (file) => readFileSync(join(home, file), 'utf8'),
  })
  assert.ok(sections.length >= 9)
  for (const page of pages) {
    const text = page.make ? makeReference(page.make, linkOf) : textOf(page)
    assert.ok(text.length > 200, page.path)
  }
})

test('reference pages have each operation, event and code once', async () => {
  const { routes, statusOf } = await import('../../adapters/koa/dist/index.js')
  const { catalogue } = await import('../../core/dist/base/events/index.js')
  const made = (name) => makeReference(name, (_, target) => target)
  const headings = (text, level) =>
    [...text.matchAll(new RegExp(`^${level} (\\S+) \\{`, 'gm'))].map(([, name]) => name).sort()
  assert.deepEqual(headings(made('errors'), '##'), Object.keys(statusOf).sort())
  assert.deepEqual(headings(made('events'), '##'), Object.keys(catalogue).sort())
  assert.deepEqual(headings(made('api'), '###'), routes.map(({ name }) => name).sort())
})

test('links of a built site are looked up, anchors too', (t) => {
  const root = plantFiles(t, {
    'index.html':
      '<a href="/a/b.html#one">x</a> <a href="a/b.html#two">x</a> <a href="/c.html">x</a>',
    'a/b.html':
      '<h1 id="one"><a href="#one">x</a> <a href="../">x</a> <a href="https://d.dev">x</a> <img src="/e.png">',
    'drawn.html': '<a href="/nowhere">',
  })
  assert.deepEqual(deadLinksOfSite(root, (file) => file !== 'drawn.html').sort(), [
    'a/b.html /e.png',
    'index.html /c.html',
    'index.html a/b.html#two',
  ])
})
