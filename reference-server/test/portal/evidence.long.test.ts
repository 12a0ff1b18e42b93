import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { before, it } from 'node:test'
import { unwrap } from '@countersign/core'
import type { Download, Page } from 'playwright-core'
import { assertLooks } from './every-look.ts'
import { sendSpans } from './spans.ts'
import { describePortal } from './suite.ts'

describePortal('evidence', (suite) => {
  const { pageAs } = suite
  const traceId = (session: number) => (session + 1).toString(16).padStart(32, '0')

  /** Sends so many sessions as spans, as an exporter does. */
  async function send(sessions: number): Promise<void> {
    const start = Date.now() - 60_000
    await sendSpans(
      suite.stage,
      Array.from({ length: sessions }, (_, at) => ({
        traceId: traceId(at),
        spanId: (at + 1).toString(16).padStart(16, '0'),
        name: 'chat <b>model</b>',
        startMs: start - at * 1000,
        attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.prompt': 'Pay \u202e1200 EUR' },
      })),
    )
  }

  const downloaded = async (page: Page, press: () => Promise<void>): Promise<Download> => {
    const [download] = await Promise.all([page.waitForEvent('download'), press()])
    return download
  }
  const bytesOf = async (download: Download) => readFile(await download.path())
  const link = `/evidence/sessions/${traceId(0)}`

  before(() => send(60))

  it('lists sessions by pages, and narrows them down by the address', async () => {
    const page = await pageAs('auditor', { path: '/evidence' })
    await page.getByText('1–50 of 60').waitFor()
    await page.getByRole('link', { name: 'Next' }).click()
    await page.getByText('51–60 of 60').waitFor()
    await page.getByLabel('State').selectOption('failed')
    await page.getByText('Nothing fits these filters.').waitFor()
    assert.equal(new URL(page.url()).search, '?status=failed')
    await page.reload()
    await page.getByText('Nothing fits these filters.').waitFor()
    await page.getByRole('link', { name: 'Show all sessions' }).click()
    await page.getByText('1–50 of 60').waitFor()
  })

  it('shows a session, and the content of a step as it came, with what can not be seen', async () => {
    const page = await pageAs('auditor', { path: '/evidence' })
    await page.getByRole('link', { name: traceId(0) }).click()
    await page.getByRole('button', { name: 'chat <b>model</b>' }).click()
    await page.getByRole('dialog').getByText('U+202E').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })

  it('exports a session in each form', async () => {
    const page = await pageAs('auditor', { path: link })
    const press = (name: string) => () =>
      page.getByRole('button', { name, exact: true }).click({ timeout: 60_000 })
    const json = await downloaded(page, press('JSON'))
    const evidence = JSON.parse((await bytesOf(json)).toString()) as {
      readonly session: { readonly sessionId: string }
      readonly signatures: readonly unknown[]
    }
    assert.equal(evidence.session.sessionId, traceId(0))
    assert.equal(evidence.signatures.length, 1)
    const pdf = await bytesOf(await downloaded(page, press('PDF')))
    assert.equal(pdf.subarray(0, 5).toString(), '%PDF-')
    const csv = await downloaded(page, press('CSV'))
    assert.match(csv.suggestedFilename(), /\.csv$/)
  })

  it('offers to make a package once it knows of which applications', async () => {
    const page = await pageAs('admin', { path: '/me' })
    let answerNow = () => {}
    const late = new Promise<void>((resolve) => {
      answerNow = resolve
    })
    await page.route(
      ({ pathname }) => pathname === '/v1/applications',
      async (route) => {
        await late
        await route.continue()
      },
    )
    await page.goto('/evidence/packages')
    await page
      .getByRole('table', { name: 'Packages' })
      .or(page.getByText('No package was'))
      .waitFor()
    await page.getByRole('button', { name: 'Sessions of applications' }).click()
    await page.getByText('Loading…').waitFor()
    const make = page.getByRole('button', { name: 'Make and download' })
    assert.equal(await make.count(), 0)
    answerNow()
    await make.waitFor()
    assert.equal(await page.getByLabel('Payment assistant').isChecked(), true)
  })

  it('makes a package, and saves the very bytes that it was made of, also later', async () => {
    const page = await pageAs('admin', { path: '/evidence/packages' })
    await page.getByRole('button', { name: 'Sessions of applications' }).click()
    const make = () => page.getByRole('button', { name: 'Make and download' }).click()
    page.context().setDefaultTimeout(120_000)
    const first = await bytesOf(await downloaded(page, make))
    await page.getByText(/saved by the browser, /).waitFor()
    const { service, admin } = suite.stage
    const { packages } = unwrap(await service.evidencePackages.list(admin, {}))
    const sha256 = createHash('sha256').update(first).digest('hex')
    assert.deepEqual([packages[0]?.bytes, packages[0]?.sha256], [first.length, sha256])
    const again = page.getByRole('button', { name: `Download ${packages[0]?.fileName}` })
    const later = await bytesOf(await downloaded(page, () => again.click()))
    assert.ok(later.equals(first))
  })

  it('saves nothing of a download that is cancelled', async () => {
    const page = await pageAs('admin', { path: '/evidence/packages' })
    let saved = 0
    page.on('download', () => saved++)
    await page.route('**/v1/applications/auditor-pack', async () => {
      // Never answered.
    })
    await page.getByRole('button', { name: 'For an auditor' }).click()
    await page.getByRole('button', { name: 'Make and download' }).click()
    await page.getByText('is being made').waitFor()
    await page.getByRole('button', { name: 'Cancel Package for an auditor' }).click()
    await page.getByText('cancelled, nothing was saved').waitFor()
    assert.equal(saved, 0)
  })

  it('says that a download broke off', async () => {
    const page = await pageAs('admin', { path: '/evidence/packages' })
    suite.tolerate(/ERR_FAILED/)
    await page.route('**/v1/applications/auditor-pack', (route) => route.abort())
    await page.getByRole('button', { name: 'For an auditor' }).click()
    await page.getByRole('button', { name: 'Make and download' }).click()
    await page.getByText('broke off, nothing was saved').waitFor()
    await page.getByText('No answer came.').waitFor()
  })

  it('says that nothing is held of a person who is not known', async () => {
    const page = await pageAs('admin', { path: '/evidence/packages' })
    await page.getByRole('button', { name: 'About a data subject' }).click()
    await page.getByLabel('Data subject').fill('nobody')
    await page.getByRole('button', { name: 'Make and download' }).click()
    await page.getByText('This is not here, or not yours to see.').waitFor()
  })

  it('looks right in each width and theme', async () => {
    const page = await pageAs('admin', { path: '/evidence?page=2', bypassCSP: true })
    await page.getByText('51–60 of 60').waitFor()
    await assertLooks(page, 'sessions')
    await page.goto(link)
    await page.getByRole('table', { name: 'Steps' }).waitFor()
    await assertLooks(page, 'session')
    await page.goto('/evidence/packages')
    await page.getByRole('table', { name: 'Packages' }).waitFor()
    await page.getByRole('button', { name: 'For an auditor' }).click()
    await assertLooks(page, 'packages')
  })

  it('is verified by a page that runs its own script, and asks for nothing', async () => {
    const page = await pageAs('auditor', { path: '/evidence/packages' })
    const opened = page.context().waitForEvent('page')
    await page.getByRole('link', { name: 'Verify evidence in this browser' }).click()
    const verifier = await opened
    await verifier.waitForURL('**/countersign-verify.html')
    const asked: string[] = []
    const told: string[] = []
    verifier.on('request', (request) => asked.push(request.url()))
    verifier.on('console', (message) => told.push(message.text()))
    await verifier.reload()
    await verifier.getByRole('heading', { name: 'Verify Countersign evidence' }).waitFor()
    await verifier.locator('#verifier input[type=file]').first().waitFor({ state: 'attached' })
    assert.deepEqual(asked, [`${suite.stage.origin}/countersign-verify.html`])
    assert.deepEqual(told, [])
  })
})
