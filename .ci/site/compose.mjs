// Composes the site's pages from the documents: chapters as they stand there, with the anchors that GitHub gives them,
// links between documents as links between pages, all others into the repository.
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { repository, targetOf } from '../internal-links.mjs'
import { changeLinks, readMarkdown } from '../markdown.mjs'
import { addressOf } from './pages.mjs'

/** Where a README's chapter for those who change it begins. */
const forOthers = /^# For those who change it$/

/**
 * What composes `pages`: `read` gives a document's text by its path below `root`. Throws for a chapter that is on no page,
 * or on two, and for one that a page takes and no document has.
 */
export function composer({ root, pages, read }) {
  const files = [...new Set(pages.flatMap(({ of }) => of.map(({ file }) => file)))]
  const chapters = new Map(files.map((file) => [file, chaptersOf(read(file))]))
  const homes = homesOf(pages, chapters)
  const images = new Map()

  /** A link of a document as the site has it. */
  function linkOf(file, target) {
    const to = target.startsWith('/') ? null : targetOf(file, target)
    if (to === null) return target
    const folder = existsSync(join(root, to.path)) && statSync(join(root, to.path)).isDirectory()
    const document = folder ? join(to.path, 'README.md') : to.path
    const home = homes.get(`${document}#${to.anchor}`)
    if (home) return `${addressOf(home.path)}${home.isTop ? '' : `#${to.anchor}`}`
    if (/\.(png|svg)$/.test(to.path)) return imageOf(to.path)
    const hash = to.anchor ? `#${to.anchor}` : ''
    return `${repository}/${folder ? 'tree' : 'blob'}/main/${to.path}${hash}`
  }

  function imageOf(path) {
    const address = `/images/${path.replaceAll('/', '-')}`
    images.set(address, path)
    return address
  }

  function textOf({ title, of }) {
    const lines = of.flatMap(({ file, take }) =>
      taken(chapters.get(file), take).map((chapter) =>
        changeLinks(chapter.lines.join('\n'), (target) => linkOf(file, target)).trim(),
      ),
    )
    const text = lines.filter(Boolean).join('\n\n')
    // A chapter of the page's own name is its title.
    return text.startsWith(`## ${title} {#`) ? text.slice(1) : `# ${title}\n\n${text}`
  }

  return { textOf, linkOf, images }
}

/**
 * A document's chapters: `name` ('' before the first), `lines` with anchors written out, `anchors`. The title is left
 * out, since the page has one, and so is all that is not for users.
 */
export function chaptersOf(text) {
  const { headings } = readMarkdown(text)
  const at = new Map(headings.map((heading) => [heading.line, heading]))
  const first = { name: '', lines: [], anchors: [''] }
  const chapters = [first]
  for (const [index, line] of text.split('\n').entries()) {
    const heading = at.get(index + 1)
    if (heading && forOthers.test(line)) break
    if (heading?.level === 1) {
      chapters.at(-1).anchors.push(heading.anchor)
      continue
    }
    if (heading?.level === 2) chapters.push({ name: heading.text, lines: [], anchors: [] })
    const chapter = chapters.at(-1)
    if (heading) chapter.anchors.push(heading.anchor)
    chapter.lines.push(heading ? `${line} {#${heading.anchor}}` : line)
  }
  return chapters
}

const taken = (chapters, take) =>
  take ? take.map((name) => chapters.find((chapter) => chapter.name === name)) : chapters

/** The page that has each `file#anchor`, and whether that is its top. */
function homesOf(pages, chapters) {
  const homes = new Map()
  const ids = new Map()
  for (const { path, of } of pages)
    for (const { file, take } of of)
      for (const [index, chapter] of taken(chapters.get(file), take).entries()) {
        if (!chapter) throw new Error(`${path} takes "${take[index]}", which ${file} does not have`)
        for (const anchor of chapter.anchors) {
          const place = `${file}#${anchor}`
          if (homes.has(place)) throw new Error(`${path} has ${place} too`)
          homes.set(place, { path, isTop: chapter.name === '' && !anchorsOf(chapter).has(anchor) })
          if (!anchorsOf(chapter).has(anchor)) continue
          const id = `${path}#${anchor}`
          if (ids.has(id)) throw new Error(`${path} has two headings with the anchor ${anchor}`)
          ids.set(id, file)
        }
      }
  for (const [file, own] of chapters)
    for (const { name, lines, anchors } of own)
      if (lines.join('').trim() && !anchors.some((anchor) => homes.has(`${file}#${anchor}`)))
        throw new Error(`no page has "${name}" of ${file}`)
  return homes
}

/** Anchors of headings that stand on the page. */
const anchorsOf = ({ lines }) =>
  new Set(lines.flatMap((line) => / \{#([^}]+)\}$/.exec(line)?.[1] ?? []))
