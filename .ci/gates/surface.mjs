// The public surface: each name that a package exports has a doc comment where it is declared, and one name means one thing.
import { dirname, join, posix } from 'node:path'
import { lineOf } from '../read-source.mjs'

const reexport = /export\s+(?:type\s+)?\{([^}]*)\}\s*from\s*'(\.[^']*)'/g
/** Names that a file imports and exports again in two statements. */
const passedOn = /export\s+(?:type\s+)?\{([^}]*)\}(?!\s*from)/g
const imported = /import\s+(?:type\s+)?\{([^}]*)\}\s*from\s*'(\.[^']*)'/g
const exportAll = /export\s+\*\s+from\s*'(\.[^']*)'/g
const declaration =
  /^export\s+(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:function\*?|const|let|class|interface|type|enum)\s+([\w$]+)/gm

/** Documented as no part of the public interface. */
const unstable = './internal'

export function surface(tree) {
  const files = new Map(tree.flatMap(({ files }) => files.map((each) => [each.file, each])))
  const entries = tree
    .filter(({ manifest }) => !manifest.private)
    .flatMap(({ dir, manifest }) =>
      Object.entries(manifest.exports ?? {}).flatMap(([key, entry]) => {
        if (key === unstable) return []
        const source = sourceOf(dir, entry)
        return source && files.has(source)
          ? [{ specifier: posix.join(manifest.name, key), names: namesOf(files, source) }]
          : []
      }),
    )
  return [...undocumented(files, entries), ...ambiguous(entries)]
}

/** `./dist/x.js` of a package is `x.ts` beside it. */
function sourceOf(dir, entry) {
  const built = typeof entry === 'string' ? entry : entry.default
  const path = /^\.\/dist\/(.*)\.js$/.exec(built ?? '')?.[1]
  return path === undefined ? null : join(dir, `${path}.ts`)
}

/** Each exported name with where it is declared: `file#name`. */
function namesOf(files, file, seen = new Set()) {
  if (seen.has(file)) return []
  seen.add(file)
  const source = files.get(file)?.source
  if (!source) return []
  const at = (path) => join(dirname(file), path)
  const found = []
  const declaredIn = (from, name) =>
    namesOf(files, at(from), new Set(seen)).find((each) => each.name === name)?.declared ??
    `${at(from)}#${name}`
  for (const [, list, from] of source.text.matchAll(reexport))
    for (const [name, as] of itemsOf(list))
      found.push({ name: as, declared: declaredIn(from, name) })
  const origins = new Map(
    [...source.text.matchAll(imported)].flatMap(([, list, from]) =>
      itemsOf(list).map(([name, as]) => [as, [from, name]]),
    ),
  )
  for (const [, list] of source.text.matchAll(passedOn))
    for (const [name, as] of itemsOf(list)) {
      const origin = origins.get(name)
      if (origin) found.push({ name: as, declared: declaredIn(...origin) })
    }
  for (const [, from] of source.text.matchAll(exportAll))
    found.push(...namesOf(files, at(from), seen))
  for (const [, name] of source.code.matchAll(declaration))
    found.push({ name, declared: `${file}#${name}` })
  return found
}

/** The items of a list in braces as `[name, as]`. */
function itemsOf(list) {
  return list
    .split(',')
    .map((item) => item.replace(/\btype\s+/, '').trim())
    .filter((item) => item !== '')
    .map((item) => {
      const [name, as = name] = item.split(/\s+as\s+/)
      return [name, as]
    })
}

/** A declaration is documented when what stands before it is the end of a doc comment. */
function undocumented(files, entries) {
  const declared = new Set(entries.flatMap(({ names }) => names.map((each) => each.declared)))
  return [...declared].sort().flatMap((each) => {
    const [file, name] = each.split('#')
    const source = files.get(file)?.source
    if (!source) return []
    const match = [...source.code.matchAll(declaration)].find(([, found]) => found === name)
    if (!match || source.text.slice(0, match.index).trimEnd().endsWith('*/')) return []
    return [
      {
        file,
        line: lineOf(source.text, match.index),
        rule: 'doc comment',
        text: `'${name}' is public: say what it is`,
      },
    ]
  })
}

function ambiguous(entries) {
  const meanings = new Map()
  for (const { specifier, names } of entries)
    for (const { name, declared } of names) {
      const known = meanings.get(name) ?? new Map()
      if (!known.has(declared)) known.set(declared, specifier)
      meanings.set(name, known)
    }
  return [...meanings].flatMap(([name, known]) => {
    if (known.size < 2) return []
    const [first, ...others] = [...known]
    return others.map(([declared, specifier]) => ({
      file: declared.split('#')[0],
      rule: 'public name',
      text: `'${name}' of ${specifier} is another thing than '${name}' of ${first[1]} (${first[0].split('#')[0]})`,
    }))
  })
}
