import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { home } from '../packages.mjs'

const site = join(home, 'core/docs/.vitepress/dist/site')
const isInstalled = readdirSync(join(home, 'node_modules')).includes('vitepress')
const skip = !isInstalled && !process.env.CI && 'VitePress is not installed: run npm ci'

test('the site builds, every link of it leads somewhere, and it fetches nothing from elsewhere', {
  skip,
}, () => {
  const { status, stderr, stdout } = spawnSync(process.execPath, ['.ci/site.mjs'], {
    cwd: home,
    encoding: 'utf8',
  })
  assert.equal(status, 0, `${stdout}\n${stderr}`)
  const files = readdirSync(site, { recursive: true })
  const pages = files.filter((file) => file.endsWith('.html') && file !== 'api.html')
  assert.ok(pages.length > 35, `${pages.length} pages`)
  for (const page of pages) {
    const html = readFileSync(join(site, page), 'utf8')
    assert.doesNotMatch(html, /<(?:script|img|source)[^>]* src(?:set)?="(?:https?:)?\/\//, page)
    assert.doesNotMatch(html, /<link[^>]* href="(?:https?:)?\/\//, page)
  }
  const index = files.find((file) => /localSearchIndex.*\.js$/.test(file))
  // A name is found whole.
  assert.match(readFileSync(join(site, index), 'utf8'), /countersign_drain_ms/)
})
