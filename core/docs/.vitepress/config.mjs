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
    search: { provider: 'local' },
    nav: sections.map(({ title, pages: [first] }) => ({
      text: title,
      link: addressOf(first.path),
    })),
    sidebar,
    outline: [2, 3],
    socialLinks: [{ icon: 'github', link: repository }],
  },
})
