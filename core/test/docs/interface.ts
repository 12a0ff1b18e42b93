import { readFileSync } from 'node:fs'

/** The text of `core/docs/interface.md`; tests run from `core/dist/test/docs`. */
export const interfaceText = readFileSync(
  new URL('../../../docs/interface.md', import.meta.url),
  'utf8',
)

/** The rows of the table under a heading, keyed by column; throws when the heading or its table is missing. */
export function tableUnder(heading: string): readonly Readonly<Record<string, string>>[] {
  const lines = interfaceText.split('\n')
  const start = lines.findIndex((line) => /^#+ /.test(line) && line.replace(/^#+ /, '') === heading)
  if (start < 0) throw new Error(`interface.md has no heading "${heading}"`)
  const rest = lines.slice(start + 1)
  const end = rest.findIndex((line) => /^#+ /.test(line))
  const rows = (end < 0 ? rest : rest.slice(0, end))
    .filter((line) => line.startsWith('|'))
    .map((line) => line.split('|').slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim()))
  const [names, , ...body] = rows
  if (!names || body.length === 0) throw new Error(`interface.md has no table under "${heading}"`)
  return body.map((cells) => Object.fromEntries(names.map((name, at) => [name, cells[at] ?? ''])))
}

/** The first block of this language in the document. */
export function codeBlock(language: string): string {
  const found = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(interfaceText)?.[1]
  if (found === undefined) throw new Error(`interface.md has no block of ${language}`)
  return found
}
