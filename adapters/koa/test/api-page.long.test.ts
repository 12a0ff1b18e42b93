import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { before, describe, test } from 'node:test'
import { webhooksOf } from '../description/event-page.ts'
import { readApiPage } from '../index.ts'
import { remedy, shippedText } from './shipped.ts'

// The part of jsdom that is used here; the library has no types of its own.
interface Element {
  readonly textContent: string
  getAttribute(name: string): string | null
  click(): void
}
interface Page {
  readonly document: {
    querySelector(selector: string): Element | null
    querySelectorAll(selector: string): Iterable<Element>
  }
  close(): void
  [global: string]: unknown
}
interface Jsdom {
  readonly JSDOM: new (html: string, options: object) => { readonly window: Page }
  readonly ResourceLoader: new () => object
  readonly VirtualConsole: new () => {
    on(event: string, heard: (error: Error) => void): void
  }
}

/** What the open page asks for, runs or fails at, beside itself. */
interface Opened {
  readonly page: Page
  readonly asked: readonly string[]
  readonly errors: readonly string[]
}

const { JSDOM, ResourceLoader, VirtualConsole } = await (async () => {
  const name = 'jsdom'
  return (await import(name)) as Jsdom
})()

/** Opens a page in a document that runs scripts and can reach nothing. */
function open(html: string): Opened {
  const asked: string[] = []
  const errors: string[] = []
  class Nothing extends ResourceLoader {
    fetch(url: string): null {
      asked.push(url)
      return null
    }
  }
  const virtualConsole = new VirtualConsole()
  virtualConsole.on('jsdomError', (error) => errors.push(error.message))
  const { window } = new JSDOM(html, {
    url: 'https://staff.example/api.html',
    runScripts: 'dangerously',
    pretendToBeVisual: true,
    resources: new Nothing(),
    virtualConsole,
    beforeParse(page: Page) {
      const note = (how: string) =>
        function (this: unknown, ...given: readonly unknown[]) {
          asked.push(`${how} ${given.map(String).join(' ')}`)
          throw new Error('nothing can be reached')
        }
      Object.assign(page, { fetch: note('fetch'), WebSocket: note('WebSocket') })
      Object.assign(page, { EventSource: note('EventSource'), Worker: note('Worker') })
      Object.assign(page, { XMLHttpRequest: note('XMLHttpRequest'), eval: note('eval') })
      // A policy without 'unsafe-eval' refuses it.
      page.Function = new Proxy(page.Function as object, {
        construct: note('new Function') as never,
      })
      // What jsdom lacks and browsers have.
      const query = { matches: false, addListener() {}, removeListener() {} }
      page.matchMedia = () => query
      page.scrollTo = () => {}
    },
  })
  const links = [...window.document.querySelectorAll('[src], link[href], iframe, object, embed')]
  for (const link of links) {
    const to = link.getAttribute('src') ?? link.getAttribute('href') ?? ''
    if (!to.startsWith('data:')) asked.push(to)
  }
  return { page: window, asked, errors }
}

/** Lets the page work until it shows what is looked for. */
async function shown({ page }: Opened, text: string): Promise<string> {
  const main = () => page.document.querySelector('#page')?.textContent ?? ''
  await until(() => main().includes(text), `the page never showed ${text}`)
  return main()
}

async function until(holds: () => boolean, otherwise: string): Promise<void> {
  for (let turns = 0; turns < 600; turns++) {
    if (holds()) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  assert.fail(otherwise)
}

function externalImages({ page }: Opened): readonly string[] {
  return [...page.document.querySelectorAll('img')]
    .map((image) => image.getAttribute('src') ?? '')
    .filter((source) => !source.startsWith('data:'))
}

describe('api.html', () => {
  let html = ''
  before(async () => {
    const page = await readApiPage()
    assert.ok(page, `it is not there: ${remedy}`)
    html = Buffer.from(page).toString('utf8')
  })

  test('holds the documents that are shipped', () => {
    const { page } = open(html)
    const held = (id: string) =>
      JSON.parse(page.document.querySelector(`#${id}`)?.textContent ?? '')
    for (const host of ['ingest', 'portal'])
      assert.deepEqual(held(host), JSON.parse(shippedText(`openapi-${host}.json`)), remedy)
    assert.deepEqual(held('events'), webhooksOf(JSON.parse(shippedText('asyncapi.json'))), remedy)
    page.close()
  })

  test('allows its own scripts and nothing from elsewhere', () => {
    const { page } = open(html)
    const policy = page.document
      .querySelector('meta[http-equiv="Content-Security-Policy"]')
      ?.getAttribute('content')
    assert.match(policy ?? '', /^default-src 'none'; script-src 'sha256-/)
    assert.doesNotMatch(policy ?? '', /https?:|\*|unsafe-eval|script-src[^;]*unsafe-inline/)
    const scripts = [...page.document.querySelectorAll('script:not([type])')]
    assert.equal(scripts.length, 2)
    for (const { textContent } of scripts) {
      const digest = createHash('sha256').update(textContent).digest('base64')
      assert.ok(policy?.includes(`'sha256-${digest}'`))
    }
    page.close()
  })

  test('shows every operation and every event, and asks for nothing', async () => {
    const opened = open(html)
    const documents = { ingest: 'openapi-ingest.json', portal: 'openapi-portal.json' } as const
    for (const [id, file] of Object.entries(documents)) {
      opened.page.document.querySelector(`[data-shows=${id}]`)?.click()
      const { paths } = JSON.parse(shippedText(file)) as {
        readonly paths: Readonly<Record<string, Readonly<Record<string, { summary: string }>>>>
      }
      const summaries = Object.values(paths).flatMap((path) =>
        Object.values(path).map(({ summary }) => summary),
      )
      const text = await shown(opened, summaries.at(-1) ?? '')
      for (const summary of summaries) assert.ok(text.includes(summary), summary)
    }
    opened.page.document.querySelector('[data-shows=events]')?.click()
    const { components } = JSON.parse(shippedText('asyncapi.json'))
    const text = await shown(opened, 'review.outcome')
    for (const type of Object.keys(components.messages)) assert.ok(text.includes(type), type)
    assert.deepEqual(opened.asked, [])
    assert.deepEqual(opened.errors, [])
    assert.deepEqual(externalImages(opened), [])
    opened.page.close()
  })

  test('a page that asks for something is found', async () => {
    const asking = open(
      html.replace('<main', '<script src="https://cdn.example/x.js"></script><main'),
    )
    assert.ok(asking.asked.includes('https://cdn.example/x.js'))
    asking.page.close()
    const fetching = open(
      html.replace('<main', '<script>fetch("/x").catch(() => {})</script><main'),
    )
    assert.ok(fetching.asked.includes('fetch /x'))
    fetching.page.close()
    const showing = open(html.replaceAll('"data:,"', '"https://cdn.example/logo.svg"'))
    await until(() => externalImages(showing).length > 0, 'the image was not found')
    showing.page.close()
  })
})
