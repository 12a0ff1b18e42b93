// Joins the scripts that a page needs before it shows: a bundler splits them by who else needs each part, into dozens.
import { createHash } from 'node:crypto'
import { build } from 'esbuild'

/**
 * Joins a script with all that it imports before it runs. Scripts that are loaded later import from the joined one.
 * `scripts`: texts by their names, all in one folder, as esbuild minifies and splits them; `first`: the one that the
 * page names; `exportsOf`: what a script exports. Answers texts by new names, each with a digest of all, and `nameOf` to
 * tell them by the old ones; null for one that was joined.
 */
export async function joinScripts({ scripts, first, exportsOf, options }) {
  const joined = importedBefore(first, scripts)
  const later = [...scripts.keys()].filter((name) => !joined.has(name))
  const aliases = aliasesOf([...joined], exportsOf, usedBy(later, scripts))
  const made = await build({
    ...options,
    metafile: false,
    format: 'esm',
    stdin: { contents: entryOf(first, aliases), resolveDir: '/' },
    plugins: [inMemory(scripts, joined)],
  })
  const texts = new Map([[first, made.outputFiles[0].text]])
  for (const name of later)
    texts.set(name, withJoined(scripts.get(name), { joined, first, aliases }))
  const digest = digestOf([...texts].flat())
  const renamed = new Map(
    [first, ...later].map((name) => [
      name,
      name.replace(/-\w+\.js$/, `-${digestOf([name, digest])}.js`),
    ]),
  )
  const named = new Map()
  for (const [name, text] of texts) named.set(renamed.get(name), withNames(text, renamed))
  checkImports(named)
  return { scripts: named, nameOf: (name) => renamed.get(name) ?? null }
}

const digestOf = (parts) => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(`${part.length} ${part}`)
  return hash.digest('hex').slice(0, 8).toUpperCase()
}

/** A script and all that it imports before it runs. */
function importedBefore(name, scripts, found = new Set()) {
  if (found.has(name)) return found
  found.add(name)
  for (const [, , imported] of scripts.get(name).matchAll(imports))
    importedBefore(imported, scripts, found)
  return found
}

/** Imports before a script runs: their names in braces, if any, and the file. */
const imports = /\bimport(?:\{([^}]*)\}from)?"\.\/([^"]+\.js)";?/g

/** A short name for each export of each joined script that is used. */
function aliasesOf(joined, exportsOf, used) {
  let count = 0
  const named = (name) =>
    exportsOf(name).flatMap((each) =>
      used.has(`${name} ${each}`) ? [[each, inLetters(count++)]] : [],
    )
  return new Map(joined.map((name) => [name, new Map(named(name))]))
}

/** A number as letters: each is a name of its own. */
const inLetters = (number) =>
  (number >= letters.length ? inLetters(Math.floor(number / letters.length) - 1) : '') +
  letters[number % letters.length]
const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'

/** Which exports of which scripts the later ones import. */
function usedBy(later, scripts) {
  const used = new Set()
  for (const name of later)
    for (const [, names = '', from] of scripts.get(name).matchAll(imports))
      for (const each of names.split(',')) used.add(`${from} ${each.split(' as ')[0]}`)
  return used
}

function entryOf(first, aliases) {
  const lines = [...aliases].map(([name, exported]) => {
    const list = [...exported].map(([each, alias]) => `${each} as ${alias}`).join(', ')
    return exported.size === 0 ? '' : `export { ${list} } from './${name}'\n`
  })
  return `import './${first}'\n${lines.join('')}`
}

/** Takes scripts from memory; those that are not joined stay imports. */
const inMemory = (scripts, joined) => ({
  name: 'in-memory',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\.\// }, ({ path }) => {
      const name = path.slice('./'.length)
      return joined.has(name) ? { path: name, namespace: 'made' } : { path, external: true }
    })
    onLoad({ filter: /./, namespace: 'made' }, ({ path }) => ({ contents: scripts.get(path) }))
  },
})

/** A later script that imports from the joined one, all in one statement. */
function withJoined(text, { joined, first, aliases }) {
  const taken = []
  const rest = text.replaceAll(imports, (statement, names, from) => {
    if (!joined.has(from)) return statement
    // Without names: it has run, for whatever is loaded later, it loaded.
    for (const each of names?.split(',') ?? []) {
      const [name, local = name] = each.split(' as ')
      taken.push(`${aliases.get(from).get(name)} as ${local}`)
    }
    return ''
  })
  return taken.length === 0 ? rest : `import{${taken.join(',')}}from"./${first}";${rest}`
}

const withNames = (text, renamed) =>
  text.replaceAll(/"\.\/([^"/]+\.js)"/g, (whole, name) =>
    renamed.has(name) ? `"./${renamed.get(name)}"` : whole,
  )

/** Throws where a script imports what is not there. */
function checkImports(scripts) {
  for (const [name, text] of scripts)
    for (const [, imported] of text.matchAll(/(?:\bfrom|\bimport\(?)"\.\/([^"/]+\.js)"/g))
      if (!scripts.has(imported))
        throw new Error(`${name} imports ${imported}, which is not among the scripts`)
}
