import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'

const program = 'chromium'

/** Why tests that open a page are skipped; false where there is a browser. */
export const noChromium = spawnSync(program, ['--version']).error
  ? 'no Chromium: apt-get install chromium'
  : false

/** What a page did, beside what it shows. */
export interface Heard {
  /** Errors of the console, violations of the policy among them. */
  readonly errors: readonly string[]
  /** Addresses that were asked for. */
  readonly requests: readonly string[]
}

/** A page in a browser of its own. */
export interface Page extends Heard {
  open(address: string): Promise<void>
  /** The value of an expression, awaited. */
  ask<T>(expression: string): Promise<T>
  /** Waits until an expression is true. */
  until(expression: string): Promise<void>
  /** Presses a key: `Tab`, `Enter`, ` `. */
  press(key: string): Promise<void>
  /** Chooses files for the element that an expression yields. */
  choose(expression: string, files: readonly string[]): Promise<void>
  /** Drops files at a place of the page. */
  drop(files: readonly string[]): Promise<void>
  media(features: Readonly<Record<string, string>>): Promise<void>
  close(): Promise<void>
}

type Answer = Readonly<Record<string, unknown>>

interface Message {
  readonly id?: number
  readonly method?: string
  readonly sessionId?: string
  readonly params?: Answer
  readonly result?: Answer
  readonly error?: { readonly message: string }
}

const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--remote-debugging-pipe',
]

/** Opens a browser by the DevTools protocol over pipes: messages are JSON, each with a byte 0 behind it. */
export async function openPage(): Promise<Page> {
  const profile = mkdtempSync(join(tmpdir(), 'countersign-chromium-'))
  const browser = spawn(program, [...flags, `--user-data-dir=${profile}`, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
  })
  const errors: string[] = []
  const requests: string[] = []
  const told: Readonly<Record<string, (params: Answer) => void>> = {
    'Log.entryAdded': ({ entry }) => void errors.push(JSON.stringify(entry)),
    'Runtime.exceptionThrown': (params) => void errors.push(JSON.stringify(params)),
    'Network.requestWillBeSent': ({ request }) =>
      void requests.push(String((request as Answer).url)),
  }
  const send = protocolOf(browser, ({ method = '', params = {} }) => told[method]?.(params))
  const { targetInfos } = await send('Target.getTargets')
  const [{ targetId } = {}] = (targetInfos as readonly Answer[]).filter(
    ({ type }) => type === 'page',
  )
  const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true })
  const inPage = (method: string, params: Answer = {}) => send(method, params, String(sessionId))
  for (const domain of ['Page', 'Runtime', 'Log', 'Network', 'DOM'])
    await inPage(`${domain}.enable`)

  async function evaluated(expression: string, byValue: boolean): Promise<Answer> {
    const { result, exceptionDetails } = await inPage('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: byValue,
    })
    if (exceptionDetails) throw new Error(`${expression}: ${JSON.stringify(exceptionDetails)}`)
    return result as Answer
  }

  async function ask<T>(expression: string): Promise<T> {
    return (await evaluated(expression, true)).value as T
  }

  return {
    errors,
    requests,
    ask,
    async open(url) {
      await inPage('Page.navigate', { url })
      await ask(`new Promise((done) => document.readyState === 'complete'
        ? done() : addEventListener('load', () => done()))`)
    },
    until: (expression) =>
      ask(`new Promise((done) => {
        const look = () => (${expression}) ? done() : requestAnimationFrame(look)
        look()
      })`),
    async press(key) {
      const text = key === 'Enter' ? '\r' : key.length === 1 ? key : undefined
      const code = key === 'Tab' ? 9 : key === 'Enter' ? 13 : key.charCodeAt(0)
      const common = { key, windowsVirtualKeyCode: code, ...(text && { text }) }
      await inPage('Input.dispatchKeyEvent', { type: text ? 'keyDown' : 'rawKeyDown', ...common })
      await inPage('Input.dispatchKeyEvent', { type: 'keyUp', key, windowsVirtualKeyCode: code })
    },
    async choose(expression, files) {
      const { objectId } = await evaluated(expression, false)
      await inPage('DOM.setFileInputFiles', { files, objectId })
    },
    async drop(files) {
      const data = { items: [], files, dragOperationsMask: 1 }
      for (const type of ['dragEnter', 'dragOver', 'drop'])
        await inPage('Input.dispatchDragEvent', { type, x: 200, y: 200, data })
    },
    async media(features) {
      const all = Object.entries(features).map(([name, value]) => ({ name, value }))
      await inPage('Emulation.setEmulatedMedia', { features: all })
    },
    async close() {
      const ended = new Promise((resolve) => browser.once('exit', resolve))
      await send('Browser.close').catch(() => browser.kill())
      await ended
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

type Send = (method: string, params?: Answer, sessionId?: string) => Promise<Answer>

function protocolOf(browser: ChildProcess, hear: (message: Message) => void): Send {
  const [, , , input, output] = browser.stdio as readonly unknown[]
  const waiting = new Map<number, (message: Message) => void>()
  let held = Buffer.alloc(0)
  let calls = 0
  ;(output as Readable).on('data', (piece: Buffer) => {
    held = Buffer.concat([held, piece])
    for (let end = held.indexOf(0); end >= 0; end = held.indexOf(0)) {
      const message = JSON.parse(held.toString('utf8', 0, end)) as Message
      held = held.subarray(end + 1)
      if (message.id === undefined) hear(message)
      else waiting.get(message.id)?.(message)
    }
  })
  browser.once('exit', () => {
    for (const answer of waiting.values()) answer({ error: { message: 'the browser ended' } })
  })
  return (method, params = {}, sessionId) =>
    new Promise((resolve, reject) => {
      const id = ++calls
      waiting.set(id, ({ result, error }) => {
        waiting.delete(id)
        if (error) reject(new Error(`${method}: ${error.message}`))
        else resolve(result ?? {})
      })
      const message = { id, method, params, ...(sessionId && { sessionId }) }
      ;(input as Writable).write(`${JSON.stringify(message)}\0`)
    })
}
