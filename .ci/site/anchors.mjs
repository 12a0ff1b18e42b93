// Looks up every link of a built site: the file, and the element that has the anchor.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Links of the site in `folder` that lead to no file or no element of it, as `<page> <link>`. Pages that `isOurs` leaves
 * out, since a script of theirs draws them, are targets alone.
 */
export function deadLinksOfSite(folder, isOurs = () => true) {
  const pages = readdirSync(folder, { recursive: true }).filter(
    (file) => file.endsWith('.html') && isOurs(file),
  )
  const read = new Map(pages.map((file) => [file, linksAndIds(join(folder, file))]))
  return pages.flatMap((file) =>
    read.get(file).links.flatMap((link) => {
      const { pathname, hash } = new URL(link, `http://site.invalid/${file}`)
      const target = fileFor(folder, decodeURIComponent(pathname).slice(1))
      if (target === null) return [`${file} ${link}`]
      const page = read.get(target)
      const isThere = !hash || !page || page.ids.has(decodeURIComponent(hash.slice(1)))
      return isThere ? [] : [`${file} ${link}`]
    }),
  )
}

function linksAndIds(file) {
  const html = readFileSync(file, 'utf8')
  const all = (pattern) =>
    [...html.matchAll(pattern)].map(([, value]) => value.replaceAll('&amp;', '&'))
  return {
    links: all(/\s(?:href|src)="([^"]*)"/g).filter((link) => !/^([a-z][\w+.-]*:|\/\/)/i.test(link)),
    ids: new Set(all(/\sid="([^"]*)"/g)),
  }
}

function fileFor(folder, path) {
  const candidates = [path, `${path}.html`, join(path, 'index.html')]
  return (
    candidates.find(
      (each) => existsSync(join(folder, each)) && statSync(join(folder, each)).isFile(),
    ) ?? null
  )
}
