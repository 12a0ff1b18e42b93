// What the project's Markdown holds: headings with their anchors, links and code blocks, each with its line.

const fence = /^\s*(```+)\s*([\w-]*)/

/** The anchor that GitHub gives a heading, before it counts repetitions. */
export const slugOf = (heading) =>
  heading
    .replaceAll('`', '')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll('*', '')
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-')

/**
 * `headings` (`level`, `text`, `anchor`, `line`), relative and absolute `links` (`target`, `line`) outside of code, and
 * `blocks` (`language`, `code`, `line` of the fence). Lines count from 1; fences are those of three backticks or more.
 */
export function readMarkdown(text) {
  const headings = []
  const links = []
  const blocks = []
  const seen = new Map()
  for (const { text: written, line, is, language } of linesOf(text)) {
    if (is === 'open') blocks.push({ language, code: [], line })
    if (is === 'code') blocks.at(-1).code.push(written)
    if (is !== 'prose') continue
    const heading = /^(#{1,6}) (.*)$/.exec(written)
    if (heading) {
      const slug = slugOf(heading[2])
      const count = seen.get(slug) ?? 0
      seen.set(slug, count + 1)
      const anchor = count === 0 ? slug : `${slug}-${count}`
      headings.push({ level: heading[1].length, text: heading[2], anchor, line })
    }
    for (const target of targetsOf(written)) links.push({ target, line })
  }
  return {
    headings,
    links,
    blocks: blocks.map(({ code, ...block }) => ({ ...block, code: code.join('\n') })),
  }
}

/** The text with each link's target as `change` answers it; code stays. */
export const changeLinks = (text, change) =>
  linesOf(text)
    .map(({ text: line, is }) => (is === 'prose' ? changeTargets(line, change) : line))
    .join('\n')

/** Lines with what each `is`: `prose`, `code`, or the fence that opens or closes a block. */
function linesOf(text) {
  let open = null
  const lines = text.split('\n').map((written, at) => {
    const line = { text: written, line: at + 1 }
    const [, mark, language] = fence.exec(written) ?? []
    if (!open && !mark) return { ...line, is: 'prose' }
    if (!open) {
      open = { mark, line: line.line }
      return { ...line, is: 'open', language }
    }
    if (mark !== written.trim() || mark.length < open.mark.length) return { ...line, is: 'code' }
    open = null
    return { ...line, is: 'close' }
  })
  if (open) throw new Error(`the block of line ${open.line} has no end`)
  return lines
}

/** Code first, which is left as it is: a link's text may be code, and code may look like a link. */
const codeOrTarget = /`[^`]*`|(\]\()([^()\s]+)(\))|(\b(?:src|srcset|href)=")([^"]+)(")/g

const changeTargets = (line, change) =>
  line.replace(codeOrTarget, (whole, open, target, close, quote, value, end) => {
    if (open) return `${open}${change(target)}${close}`
    return quote ? `${quote}${change(value)}${end}` : whole
  })

function targetsOf(line) {
  const targets = []
  changeTargets(line, (target) => {
    targets.push(target)
    return target
  })
  return targets
}
