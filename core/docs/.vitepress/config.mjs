// The site: `npm run site` composes its pages and builds them into `.vitepress/dist/site`.
import { defineConfig } from 'vitepress'
import { repository } from '../../../.ci/internal-links.mjs'
import { slugOf } from '../../../.ci/markdown.mjs'
import { addressOf, sections } from '../../../.ci/site/pages.mjs'

const sidebar = sections.map(({ title, pages }) => ({
  text: title,
  collapsed: false,
  items: pages.map((page) => ({ text: page.title, link: addressOf(page.path) })),
}))

/** Words, and names such as `COUNTERSIGN_DRAIN_MS` or `webhooks.create` whole besides. Runs in the browser: it stands alone. */
const tokenize = (text) => [
  ...text.split(/[\n\r\p{Z}\p{P}]+/u),
  ...(text.match(/[\p{L}\p{N}]+(?:[._][\p{L}\p{N}]+)+/gu) ?? []),
]

export default defineConfig({
  title: 'Countersign',
  description: "A human's signature under what an AI system wants to do.",
  lang: 'en',
  srcDir: '.vitepress/dist/pages',
  outDir: '.vitepress/dist/site',
  cacheDir: '.vitepress/dist/cache',
  ignoreDeadLinks: false,
  markdown: { anchor: { slugify: slugOf } },
  themeConfig: {
    search: { provider: 'local', options: { miniSearch: { options: { tokenize } } } },
    nav: sections.map(({ title, pages: [first] }) => ({
      text: title,
      link: addressOf(first.path),
    })),
    sidebar,
    outline: [2, 3],
    socialLinks: [{ icon: 'github', link: repository }],
  },
})
