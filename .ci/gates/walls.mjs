// Who imports whom: packages, rooms of the core, circles.
import { dirname, join } from 'node:path/posix'
import { composition, doubles, inside, packages, rooms, unpublished } from '../walls.mjs'

export function walls(tree) {
  const adapters = new Set(
    tree.filter(({ dir }) => dir.startsWith('adapters/')).map(({ manifest }) => manifest.name),
  )
  const core = tree.filter(({ dir }) => dir === 'core')
  return [
    ...tree.flatMap((workspace) => packageWalls(workspace, adapters)),
    ...core.flatMap(roomWalls),
    ...circles(tree),
  ]
}

const list = (names) => (names.length ? names.join(', ') : 'nothing')

function packageWalls({ dir, manifest, files }, adapters) {
  const wall = packages[dir] ?? packages[`${dirname(dir)}/*`]
  if (!wall)
    return [
      {
        file: `${dir}/package.json`,
        rule: 'package without walls',
        text: `${dir} is a workspace, but .ci/walls.mjs does not say what it may import: add it to \`packages\``,
      },
    ]
  return files.flatMap((file) =>
    file.imports.flatMap((named) => {
      const verdict = file.isTest
        ? testImport(manifest, named)
        : shippedImport({ dir, wall: wallOf(wall, file.path), manifest, adapters }, file, named)
      return verdict ? [{ file: file.file, line: named.line, ...verdict }] : []
    }),
  )
}

/** The wall of a file: that of the folder that it lies in, where there is one. */
function wallOf(wall, path) {
  const folder = Object.keys(wall.below ?? {}).find((each) => path.startsWith(each))
  return folder ? wall.below[folder] : wall
}

/** Tests may import whatever their package or the root declares; staying inside the package is for all. */
function testImport(manifest, { specifier, typeOnly }) {
  if (isRelative(specifier) || specifier.startsWith('node:')) return null
  // A package may consist of types alone, which another one publishes (DefinitelyTyped).
  if (typeOnly && manifest.devDependencies?.[`@types/${specifier}`]) return null
  return undeclared(manifest, specifier, ['dependencies', 'peerDependencies', 'devDependencies'])
}

function shippedImport(from, file, { specifier, typeOnly }) {
  const { dir, wall, manifest } = from
  if (isRelative(specifier)) return relativeImport(file, specifier, typeOnly)
  if (specifier.startsWith('node:')) return builtin(wall, specifier, typeOnly)
  if (specifier.startsWith('@countersign/')) return ours(from, file, specifier, typeOnly)
  if (wall.libraries !== 'declared' && !wall.libraries.includes(packageName(specifier)))
    return {
      rule: 'foreign library',
      text: `imports '${specifier}', but ${dir} may import only ${list(wall.libraries)} and what is ours`,
    }
  const fields = ['dependencies', 'peerDependencies']
  if (wall.bundled || unpublished.some((path) => file.path.startsWith(path)))
    fields.push('devDependencies')
  return undeclared(manifest, specifier, fields)
}

const isRelative = (specifier) => specifier.startsWith('.')

const packageName = (specifier) =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')

const matches = (patterns, specifier) =>
  patterns.some((pattern) =>
    pattern.endsWith('/*') ? specifier.startsWith(pattern.slice(0, -1)) : specifier === pattern,
  )

function relativeImport(file, specifier, typeOnly) {
  const target = join(dirname(file.path), specifier)
  const known = inside[file.file]
  if (known && typeOnly && join(dirname(file.file), specifier).startsWith(known)) return null
  if (target.startsWith('..'))
    return {
      rule: 'path out of the package',
      text: `imports '${specifier}', which lies in another package: import it by its package name`,
    }
  if (target.startsWith('test/'))
    return {
      rule: 'shipped code imports a test',
      text: `imports '${specifier}', which is not published: move what both need out of test/`,
    }
  return null
}

function builtin(wall, specifier, typeOnly) {
  if (wall.builtins === 'yes' || (wall.builtins === 'types' && typeOnly)) return null
  return {
    rule: 'node: in portable code',
    text: `imports '${specifier}'${wall.builtins === 'types' ? ' for more than its types' : ''}: this package runs on every runtime`,
  }
}

function ours({ dir, wall, manifest, adapters }, file, specifier, typeOnly) {
  // An example imports its package as a customer does.
  if (packageName(specifier) === manifest.name && file.path.startsWith('examples/')) return null
  if (
    specifier === doubles.specifier &&
    !doubles.allowedIn.includes(dir) &&
    !unpublished.some((path) => file.path.startsWith(path))
  )
    return {
      rule: 'test doubles in shipped code',
      text: `imports '${specifier}', which is for tests and ${list(doubles.allowedIn)}`,
    }
  if (matches(wall.types, specifier) && !typeOnly && !matches(wall.ours, specifier))
    return {
      rule: 'more than types',
      text: `imports '${specifier}' for more than its types: write \`import type\`, or do without`,
    }
  if (!matches([...wall.ours, ...wall.types], specifier))
    return {
      rule: 'package wall',
      text: `imports '${specifier}', but ${dir} may import only ${list([...wall.ours, ...wall.types.map((name) => `types of ${name}`)])} of ours`,
    }
  if (
    dir === 'reference-server' &&
    adapters.has(packageName(specifier)) &&
    !isComposition(file.path)
  )
    return {
      rule: 'adapter outside the composition',
      text: `imports '${specifier}', but only ${composition.join(', ')} may know an adapter: take what it makes as an argument`,
    }
  return null
}

const isComposition = (path) =>
  composition.some((known) => (known.endsWith('/') ? path.startsWith(known) : path === known))

function undeclared(manifest, specifier, sections) {
  const name = packageName(specifier)
  if (name === manifest.name) return null
  if (sections.some((section) => manifest[section]?.[name])) return null
  if (sections.includes('devDependencies') && rootTools.has(name)) return null
  return {
    rule: 'undeclared dependency',
    text: `imports '${specifier}', but ${manifest.name} lists ${name} in none of its ${sections.join(', ')}`,
  }
}

/** Declared once, at the root, for the tests of all packages. */
const rootTools = new Set(['fast-check', '@countersign/core', '@countersign/conformance'])

/** The room of a file of the core, or '' for a file at its root. */
const roomOf = (path) => (path.includes('/') ? path.slice(0, path.indexOf('/')) : '')

function roomWalls({ files }) {
  return files.filter(({ isTest }) => !isTest).flatMap(roomImports)
}

function roomImports(file) {
  const room = roomOf(file.path)
  if (room && !Object.hasOwn(rooms, room))
    return [
      {
        file: file.file,
        rule: 'room without walls',
        text: `${room} is a room of the core, but .ci/walls.mjs does not say where it may look: add it to \`rooms\``,
      },
    ]
  return file.imports
    .filter(({ specifier }) => isRelative(specifier))
    .flatMap(({ specifier, line }) => {
      const target = join(dirname(file.path), specifier)
      const verdict = relativeImport(file, specifier) ? null : roomImport(room, target)
      return verdict ? [{ file: file.file, line, ...verdict }] : []
    })
}

function roomImport(room, target) {
  const into = roomOf(target)
  if (into === room) return null
  if (room === '') {
    if (into !== 'testing') return null
    return {
      rule: 'test doubles in shipped code',
      text: `imports ${target}: testing is its own export, never in the root`,
    }
  }
  if (target.endsWith('/index.ts'))
    return {
      rule: 'index of a room',
      text: `imports ${target}: inside the core, import the file that defines the name, not an index`,
    }
  const allowed = rooms[room]
  if (allowed === 'every room' || allowed.includes(into)) return null
  return {
    rule: 'room wall',
    text: `imports ${target}, but room ${room} may look only into ${list(allowed)}`,
  }
}

/** Files that import each other in a circle, types included: each circle is told once. */
function circles(tree) {
  const edges = new Map()
  for (const { dir, files } of tree) {
    const known = new Set(files.map(({ path }) => path))
    for (const { file, path, imports } of files)
      edges.set(
        file,
        imports
          .filter(({ specifier }) => isRelative(specifier))
          .map(({ specifier }) => join(dirname(path), specifier))
          .filter((target) => known.has(target))
          .map((target) => `${dir}/${target}`),
      )
  }
  const state = new Map()
  const trail = []
  const found = []
  const visit = (file) => {
    if (state.get(file) === 'done') return
    if (state.get(file) === 'open') {
      const circle = [...trail.slice(trail.indexOf(file)), file]
      found.push({ file, rule: 'circle of imports', text: `imports itself: ${circle.join(' → ')}` })
      return
    }
    state.set(file, 'open')
    trail.push(file)
    for (const next of edges.get(file) ?? []) visit(next)
    trail.pop()
    state.set(file, 'done')
  }
  for (const file of edges.keys()) visit(file)
  return found
}
