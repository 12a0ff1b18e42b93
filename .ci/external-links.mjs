// Links that leave the project: finds them in documents, messages and manifests, and asks whether they still answer.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { lineOf } from './read-source.mjs'
import { filesOf } from './tree.mjs'

const texts =
  /(^|\/)(LICENSE|Dockerfile)$|\.(c|css|html|json|md|mjs|py|service|sh|svg|ts|tsx|ya?ml)$/
/** Tests call addresses of their own making; the lock file's are the registry's. */
const leftOut = /(^|\/)test\/|package-lock\.json$/
/** Up to what ends a link in Markdown, a string or a tag; what is filled in later is a part of it, and tells it apart. */
const link = /https?:\/\/[^\s"'`<>()[\]\\|]+/g
const filledIn = /[{}$…*]/
/** Names that never lead anywhere (RFC 2606, RFC 6761). */
const reserved = /(^|\.)(example|example\.(com|net|org)|invalid|localhost|test)$/

/** Each external link once, without its anchor, and the places (`file`, `line`) that have it. */
export function externalLinks(root) {
  const found = new Map()
  for (const file of filesOf(root).filter((path) => texts.test(path) && !leftOut.test(path))) {
    const text = readFileSync(join(root, file), 'utf8')
    for (const { 0: written, index } of text.matchAll(link)) {
      const url = urlOf(written)
      if (url === null) continue
      found.set(url, [...(found.get(url) ?? []), { file, line: lineOf(text, index) }])
    }
  }
  return [...found].map(([url, places]) => ({ url, places }))
}

function urlOf(written) {
  const whole = written.replace(/[.,;:!?]+$/, '')
  if (filledIn.test(whole) || !URL.canParse(whole)) return null
  const url = new URL(whole)
  // A name of one label, or an address, is of no public host.
  if (!/\.[a-z][a-z-]*$/.test(url.hostname) || reserved.test(url.hostname)) return null
  url.hash = ''
  return url.href
}

/** Answers to a program, not to a person: the page may well be there. */
const notForPrograms = new Set([401, 403, 405, 429, 999])

/**
 * Asks each link, by HEAD and, where that does not succeed, by GET; `atOnce` at a time, `timeout` ms each. Answers
 * those that failed, and those whose hosts refuse programs, each with what it `says`.
 */
export async function askLinks(
  links,
  { atOnce = 6, timeout = 15_000, fetch = globalThis.fetch } = {},
) {
  const failed = []
  const untold = []
  const rest = [...links]
  const ask = async () => {
    for (let next = rest.shift(); next; next = rest.shift()) {
      const { status, says } = await answerOf(next.url, { timeout, fetch })
      if (says === null) continue
      const list = notForPrograms.has(status) ? untold : failed
      list.push({ ...next, says })
    }
  }
  await Promise.all(Array.from({ length: atOnce }, ask))
  const byUrl = (a, b) => (a.url < b.url ? -1 : 1)
  return { asked: links.length, failed: failed.sort(byUrl), untold: untold.sort(byUrl) }
}

/** The last status, and what was wrong; nothing was after a success, redirects followed. */
async function answerOf(url, { timeout, fetch }) {
  let answer = { status: 0, says: 'was not asked' }
  for (const method of ['HEAD', 'GET']) {
    try {
      const response = await fetch(url, { method, signal: AbortSignal.timeout(timeout) })
      await response.body?.cancel()
      const { ok, status } = response
      answer = { status, says: ok ? null : `${status} ${response.statusText}`.trim() }
    } catch (error) {
      answer = { status: 0, says: error.cause?.code ?? error.cause?.message ?? error.message }
    }
    if (answer.says === null) break
  }
  return answer
}
