// Links between the project's own files: relative ones, and those to its repository on the web.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { readMarkdown } from './markdown.mjs'
import { markdownOf } from './tree.mjs'

/** Where the repository's files are on the web: `…/blob/main/<path>`, `…/tree/main/<path>`. */
export const repository = 'https://github.com/countersign/countersign'
const onTheWeb = new RegExp(`^${repository}/(?:blob|tree)/main/([^#]*)(#.*)?$`)

/** A link's file and anchor, the file by its path from the root; null: it leads elsewhere. */
export function targetOf(file, target) {
  const web = onTheWeb.exec(target)
  if (web) return { path: normalize(web[1]), anchor: (web[2] ?? '').slice(1) }
  if (/^[a-z][\w+.-]*:/i.test(target)) return null
  const [path, anchor = ''] = target.split('#')
  return { path: path ? normalize(join(dirname(file), path)) : file, anchor }
}

/** Links of the Markdown below `root` whose file or heading is not there, as findings. */
export function deadLinks(root) {
  const pages = new Map(
    markdownOf(root).map((file) => [file, readMarkdown(readFileSync(join(root, file), 'utf8'))]),
  )
  return [...pages].flatMap(([file, { links }]) =>
    links.flatMap(({ target, line }) => {
      const to = targetOf(file, target)
      if (to === null) return []
      if (!existsSync(join(root, to.path)))
        return [{ file, line, text: `${target}: there is no ${to.path}` }]
      // Other files have lines, and a folder its README.
      const page = pages.get(to.path) ?? pages.get(join(to.path, 'README.md'))
      if (!page || !to.anchor || to.anchor === 'readme') return []
      if (page.headings.some(({ anchor }) => anchor === to.anchor)) return []
      return [{ file, line, text: `${target}: ${to.path} has no such heading` }]
    }),
  )
}
