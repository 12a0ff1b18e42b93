import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, it } from 'node:test'
import type { Page } from 'playwright-core'
import { axeOf } from './axe.ts'
import { type Look, looksOf } from './every-look.ts'
import { keepScreenshot } from './screenshots.ts'
import { describePortal } from './suite.ts'
import { fillWorld, type PortalWorld } from './world.ts'

const list = readFileSync(
  new URL('../../../../adapters/portal/app/pages.tsx', import.meta.url),
  'utf8',
)
const paths = [...list.matchAll(/\bpath: '([^']+)'/g)].map(([, path = '']) => path)
const open = [
  ...['/login', '/login/organization', '/login/provider'],
  ...['/invitation', '/forgotten', '/reset'],
]

/** Where whole proofs are run, all pages are looked at, not a third of them and a sixth of the sandbox's, and in six looks, not two. */
const { COUNTERSIGN_PROVE: whole, FC_SEED: seed = '0' } = process.env

/** What is wrong with a page in its looks, and with colours that the browser forces; a picture of each is kept. */
async function lookAt(page: Page, name: string): Promise<readonly string[]> {
  const wrong: string[] = []
  const looks: readonly (Look & { readonly forcedColors: 'none' | 'active' })[] = [
    ...looksOf(name).map((look) => ({ ...look, forcedColors: 'none' as const })),
    { name: '768-forced', width: 768, colorScheme: 'dark', forcedColors: 'active' },
  ]
  for (const { width, colorScheme, forcedColors, ...look } of looks) {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme, forcedColors })
    await keepScreenshot(page, `${name}-${look.name}`)
    const found = await axeOf(page, forcedColors === 'none')
    const spills = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
    wrong.push(...found.map((line) => `${name} ${look.name}: ${line}`))
    if (spills > 0) wrong.push(`${name} ${look.name}: is ${spills} px wider than the window`)
  }
  return wrong
}

/** Until what the page reads is there. */
async function shown(page: Page): Promise<void> {
  await page.locator('h1').waitFor()
  await page.waitForLoadState('networkidle')
  await page.locator('[aria-busy=true]').waitFor({ state: 'detached' })
}

describePortal('every page, in each theme and width', (suite) => {
  const { pageAs } = suite
  let world: PortalWorld
  before(async () => {
    world = await fillWorld(suite.stage)
  })
  after(() => world?.close())

  const addressOf = (path: string) =>
    path.replace(/:(\w+)/g, (_, name: string) => {
      const id = world.ids[name]
      assert.ok(id, `${path}: expected an id for :${name} in world.ts`)
      return encodeURIComponent(id)
    })
  const nameOf = (path: string) => path.replaceAll(/[/:]+/g, '-').replace(/^-/, '') || 'home'

  it('knows the pages', () => assert.ok(paths.length > 5))
  it('has each page in both themes', () => {
    const looks = looksOf('any')
    assert.equal(looks.length, whole ? 6 : 2)
    assert.equal(new Set(looks.map(({ colorScheme }) => colorScheme)).size, 2)
  })

  for (const path of paths.filter((_, at) => whole || (at + Number(seed)) % 3 === 0))
    it(`${path} has nothing that axe finds wrong`, async () => {
      const isOpen = open.includes(path)
      const token = path === '/invitation' || path === '/reset' ? '#token' : ''
      const page = await pageAs(isOpen ? null : 'admin', {
        path: addressOf(path) + token,
        bypassCSP: true,
        isSlow: true,
      })
      await shown(page)
      assert.deepEqual(await lookAt(page, nameOf(path)), [])
    })

  const inSandbox = paths.filter((each) => !open.includes(each) && !each.includes(':'))
  for (const path of inSandbox.filter((_, at) => whole || (at + Number(seed)) % 6 === 0))
    it(`${path} of the sandbox, too`, async () => {
      const at = `/sandbox${path === '/' ? '' : path}`
      const page = await pageAs('admin', { path: at, bypassCSP: true, isSlow: true })
      await shown(page)
      await page.getByText('Nothing here can be changed.').waitFor()
      assert.deepEqual(await lookAt(page, `sandbox-${nameOf(path)}`), [])
    })
})
