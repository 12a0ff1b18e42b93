import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type EvidenceKeys, type Finding, readEvidenceKeys } from '@countersign/core/evidence'
import { sampleEvidence } from '@countersign/core/testing'
import { readKnownFiles, verifyFile } from '@countersign/documents/verify'
import { noChromium, openPage, type Page } from './chromium.ts'
import { fileOf, folder, issuer, packOf, sampleMembers } from './packs.ts'

const built = new URL('../browser/', import.meta.url)
const page = new URL('countersign-verify.html', built)
const keys = readEvidenceKeys(issuer.jwk) as EvidenceKeys
const keyFile = fileOf(JSON.stringify({ keys: [issuer.jwk] }), 'keys.json')

/** What stands in the verifier's shadow root. */
const shadow = `document.getElementById('verifier').shadowRoot`
const status = `${shadow}.querySelector('.status').textContent`
const inputs = (at: number) => `${shadow}.querySelectorAll('input')[${at}]`
const done = `/: (Verified|Wrong|Not verified)\\. |files verified/.test(${status})`

/** Each finding as the page shows it: `check, about: detail`. */
const shownFindings = `[...${shadow}.querySelectorAll('li')].map((item) => item.textContent)`
const sentences = (findings: readonly Finding[]) =>
  (['failed', 'unchecked', 'noted', 'verified'] as const).flatMap((result) =>
    findings
      .filter((finding) => finding.result === result)
      .map(({ check, about, detail }) => `${check}, ${about}: ${detail}`),
  )

describe('the page of countersign-verify', () => {
  it('is one file whose policy allows its own script and styles alone', () => {
    const html = readFileSync(page, 'utf8')
    const [, policy = ''] =
      /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html) ?? []
    const hashOf = (text: string | undefined) =>
      `'sha256-${createHash('sha256')
        .update(text ?? '')
        .digest('base64')}'`
    const [, script] = /<script>([\s\S]*)<\/script>/.exec(html) ?? []
    const [, style] = /<style>([\s\S]*)<\/style>/.exec(html) ?? []
    assert.deepEqual(policy.split('; '), [
      "default-src 'none'",
      `script-src ${hashOf(script)}`,
      `style-src ${hashOf(style)}`,
      "base-uri 'none'",
      "form-action 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ])
    assert.doesNotMatch(html.replace(script ?? '', ''), /\b(?:src|href|action)=|@import|url\(/)
  })

  it('stands beside a module of one file, without imports', () => {
    const module = readFileSync(new URL('countersign-verify.js', built), 'utf8')
    assert.doesNotMatch(module, /\bimport\s*[({"']|\bfrom\s*["']/)
    assert.match(module, /export\s*\{[^}]*\bas mountVerifier\b/)
  })
})

describe('the page of countersign-verify, opened from a disk', { skip: noChromium }, () => {
  let browser: Page
  before(async () => {
    browser = await openPage()
  })
  after(async () => {
    await browser.close()
    rmSync(folder, { recursive: true, force: true })
  })

  async function opened(): Promise<Page> {
    await browser.open(page.href)
    return browser
  }

  /** Gives the issuer's keys and waits until they are read. */
  async function withKeys(at: Page): Promise<void> {
    await at.choose(inputs(1), [keyFile])
    await at.until(`/will be used/.test(${shadow}.textContent)`)
  }

  it('shows of a pack what the command finds', async () => {
    const at = await opened()
    const file = fileOf(await packOf(sampleMembers()))
    await withKeys(at)
    await at.choose(inputs(0), [file])
    await at.until(done)
    assert.match(await at.ask(status), /sample\.zip: Verified\. \d+ findings\./)
    const { findings } = await verifyFile(file, keys)
    assert.deepEqual(await at.ask(shownFindings), sentences(findings))
  })

  it('checks anew by the keys that are given, and says which', async () => {
    const at = await opened()
    const file = fileOf(JSON.stringify(sampleEvidence()), 'evidence.json')
    await at.choose(inputs(0), [file])
    await at.until(done)
    assert.match(await at.ask(status), /Not verified/)
    await at.choose(inputs(1), [keyFile])
    await at.until(`/: Verified/.test(${status})`)
    const { findings } = await verifyFile(file, keys)
    assert.deepEqual(await at.ask(shownFindings), sentences(findings))
    await at.choose(inputs(1), [file])
    await at.until(`/can not be used/.test(${shadow}.textContent)`)
    await at.until(`/: Not verified/.test(${status})`)
  })

  it('compares with what its reader holds from before', async () => {
    const at = await opened()
    const file = fileOf(await packOf(sampleMembers()))
    const before = fileOf(JSON.stringify(sampleEvidence({ seed: 11, steps: 2 })), 'before.json')
    await withKeys(at)
    await at.choose(inputs(0), [file])
    await at.until(done)
    assert.match(await at.ask(`${shadow}.querySelector('.verdict').textContent`), /not witnessed/)
    await at.choose(inputs(2), [before])
    await at.until(`/^witness, /m.test([...${shadow}.querySelectorAll('li')]
      .map((item) => item.textContent).join('\\n'))`)
    await at.until(done)
    const compared = { known: await readKnownFiles([before]) }
    const { findings } = await verifyFile(file, keys, compared)
    assert.deepEqual(await at.ask(shownFindings), sentences(findings))
    await at.choose(inputs(2), [fileOf('{}', 'none.json')])
    await at.until(`/none\\.json can not be used/.test(${shadow}.textContent)`)
  })

  it('compares the whole file with a SHA-256, as it is given or as a record names it', async () => {
    const at = await opened()
    const pack = await packOf(sampleMembers())
    const file = fileOf(pack)
    const sha256 = createHash('sha256').update(pack).digest('hex')
    const write = (text: string) =>
      at.ask(`(() => { const input = ${inputs(3)}; input.value = ${JSON.stringify(text)}
        input.dispatchEvent(new Event('change')) })()`)
    const wholeFile = `[...${shadow}.querySelectorAll('li')].map((item) => item.textContent)
      .filter((text) => /^file, whole file/.test(text)).join()`
    await withKeys(at)
    await at.choose(inputs(0), [file])
    await at.until(done)
    assert.equal(await at.ask(wholeFile), '')
    await write(` ${sha256.toUpperCase()} `)
    await at.until(`${wholeFile} !== '' && ${done}`)
    const { findings } = await verifyFile(file, keys, { sha256 })
    assert.deepEqual(await at.ask(shownFindings), sentences(findings))
    await write('0'.repeat(64))
    await at.until(`/: Wrong/.test(${status})`)
    assert.match(await at.ask(wholeFile), /not 0{64}/)
    await write('of no use')
    await at.until(`/expected 64 hex digits/.test(${shadow}.textContent) && ${done}`)
    assert.equal(await at.ask(wholeFile), '')
    const event = { type: 'evidence_package.ready', data: { sha256 } }
    await at.choose(inputs(4), [fileOf(JSON.stringify(event), 'ready.json')])
    await at.until(`${wholeFile} !== '' && ${done}`)
    assert.match(await at.ask(status), /: Verified/)
    assert.equal(await at.ask(`${inputs(3)}.value`), sha256)
    await at.choose(inputs(4), [fileOf('{}', 'none.json')])
    await at.until(`/none\\.json can not be used/.test(${shadow}.textContent)`)
    await at.choose(inputs(0), [file, fileOf(pack)])
    await at.until(`/files verified/.test(${status})`)
    assert.match(await at.ask(`${shadow}.textContent`), /it is of one file, and several are given/)
  })

  it('takes files that are dropped, and names what is wrong first', async () => {
    const at = await opened()
    const pack = Buffer.from(await packOf(sampleMembers()))
    const whole = fileOf(pack)
    pack[200] = (pack[200] ?? 0) ^ 1
    const changed = fileOf(pack)
    await withKeys(at)
    await at.drop([whole, changed])
    await at.until(done)
    assert.equal(await at.ask(status), '1 of 2 files verified.')
    const { firstFailure } = await verifyFile(changed, keys)
    assert.equal(
      await at.ask(`${shadow}.querySelector('.first').textContent`),
      `First thing wrong: ${firstFailure?.check}, ${firstFailure?.about}: ${firstFailure?.detail}`,
    )
  })

  it('draws texts of files as text, with hidden characters by their number', async () => {
    const at = await opened()
    const file = fileOf('{"evidenceVersion":1,"<img src=x onerror=alert(1)>\\u202e":1}', 'x.json')
    const repeated = '{"evidenceVersion":1,"<b>\\u202e":1,"<b>\\u202e":2}'
    const other = fileOf(repeated, 'y.json')
    await at.choose(inputs(0), [file, other])
    await at.until(done)
    assert.equal(await at.ask(`${shadow}.querySelectorAll('img, li b b').length`), 0)
    assert.match(await at.ask(`${shadow}.textContent`), /"<b>\\u\{202e\}" twice/)
  })

  it('is used by the keyboard alone, each control with its name', async () => {
    const at = await opened()
    const names: string[] = []
    for (let step = 0; step < 5; step++) {
      await at.press('Tab')
      names.push(await at.ask(`${shadow}.activeElement?.labels?.[0]?.textContent`))
    }
    assert.deepEqual(names, [
      'Evidence to verify',
      'The issuer’s published keys (optional)',
      'What you hold from before (optional)',
      'SHA-256 of the whole file (optional)',
      'Record of the package (optional)',
    ])
    await at.choose(inputs(0), [fileOf(await packOf(sampleMembers()))])
    await at.until(done)
    await at.press('Tab')
    const summary = `${shadow}.activeElement`
    assert.equal(await at.ask(`${summary}.tagName`), 'SUMMARY')
    const wasOpen = await at.ask<boolean>(`${summary}.parentElement.open`)
    await at.press('Enter')
    await at.until(`${summary}.parentElement.open === ${!wasOpen}`)
    assert.equal(await at.ask(`${shadow}.querySelector('.status').getAttribute('role')`), 'status')
  })

  it('keeps 50 of many findings in view, and shows the rest on demand', async () => {
    const at = await opened()
    const log = Array.from({ length: 120 }, (_, n) => ({
      ...{ anchorVersion: 1, ledger: 'elsewhere', sequence: n + 1 },
      previousHash: '00'.repeat(32),
    }))
    const file = fileOf(log.map((line) => JSON.stringify(line)).join('\n'), 'anchors.jsonl')
    const { findings } = await verifyFile(file, null)
    const of = (result: string) => findings.filter((finding) => finding.result === result).length
    assert.ok(of('unchecked') > 100, 'the test has a long list')
    await at.choose(inputs(0), [file])
    await at.until(done)
    const items = `${shadow}.querySelectorAll('.unchecked li').length`
    assert.equal(await at.ask(items), 50)
    const more = `${shadow}.querySelector('.unchecked > button')`
    while (await at.ask(`${more} !== null`)) await at.ask(`${more}.click()`)
    assert.equal(await at.ask(items), of('unchecked'))
    assert.equal(await at.ask(`${shadow}.activeElement?.tagName`), 'LI')
  })

  it('has text that is told from its ground, light and dark', async () => {
    for (const scheme of ['light', 'dark']) {
      await browser.media({ 'prefers-color-scheme': scheme })
      const at = await opened()
      const pack = Buffer.from(await packOf(sampleMembers()))
      const whole = fileOf(pack)
      pack[200] = (pack[200] ?? 0) ^ 1
      const alone = fileOf(JSON.stringify(sampleEvidence()), 'evidence.json')
      await at.choose(inputs(0), [whole, fileOf(pack), alone])
      await at.until(done)
      const low = await at.ask<readonly string[]>(`(() => {
        const channels = (color) => color.match(/[\\d.]+/g).slice(0, 3).map(Number)
        const light = (color) => channels(color)
          .map((value) => value / 255)
          .map((value) => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
          .reduce((sum, value, at) => sum + value * [0.2126, 0.7152, 0.0722][at], 0)
        const ground = light(getComputedStyle(document.body).backgroundColor)
        const found = []
        for (const node of ${shadow}.querySelectorAll('h2, p, strong, label, li, summary, b')) {
          const own = light(getComputedStyle(node).color)
          const ratio = (Math.max(own, ground) + 0.05) / (Math.min(own, ground) + 0.05)
          if (ratio < 4.5) found.push(node.className + ' ' + node.tagName + ' ' + ratio)
        }
        return found
      })()`)
      assert.deepEqual(low, [], scheme)
    }
  })

  it('asks for nothing but itself, and breaks no rule of its policy', () => {
    assert.deepEqual([...new Set(browser.requests)], [pathToFileURL(fileURLToPath(page)).href])
    assert.deepEqual(browser.errors, [])
  })
})
