// The gates: `npm run check`, or `npm run check -- walls lint` for some; `--root DIR` looks at another tree.
// Each is a function to findings, `{file, line, rule, text}` or the `output` of a program; none means it is kept.
import { parseArgs } from 'node:util'
import { citations } from './gates/citations.mjs'
import { exportMaps } from './gates/exports.mjs'
import { operations } from './gates/operations.mjs'
import { sources } from './gates/sources.mjs'
import { surface } from './gates/surface.mjs'
import { format, lint, types } from './gates/tools.mjs'
import { walls } from './gates/walls.mjs'
import { home } from './packages.mjs'
import { readTree } from './tree.mjs'

const gates = {
  types: { says: 'tsc -b', run: types },
  lint: { says: 'floating promises, missing cases', run: lint, needs: 'types' },
  format: { says: 'npm run format mends most of it', run: format },
  walls: { says: '.ci/walls.mjs says who may import whom', run: (_, tree) => walls(tree()) },
  sources: { says: 'names, lengths, surroundings, SQL', run: (_, tree) => sources(tree()) },
  citations: {
    says: 'what comments cite stands in core/docs',
    run: (root, tree) => citations(root, tree()),
  },
  surface: {
    says: 'public names are documented and mean one thing',
    run: (_, tree) => surface(tree()),
  },
  operations: {
    says: 'each route declares its operation whole',
    run: operations,
    needs: 'types',
  },
  exports: {
    says: 'what each package promises',
    run: (root, tree) => exportMaps(root, tree()),
    needs: 'types',
  },
}

const { values, positionals } = parseArgs({
  options: { root: { type: 'string', default: home } },
  allowPositionals: true,
})
const unknown = positionals.filter((name) => !Object.hasOwn(gates, name))
if (unknown.length) {
  console.error(`no such gate: ${unknown.join(', ')}; there are ${Object.keys(gates).join(', ')}`)
  process.exit(2)
}

let read
const tree = () => {
  read ??= readTree(values.root)
  return read
}

const failed = []
for (const [name, gate] of Object.entries(gates)) {
  if (positionals.length && !positionals.includes(name)) continue
  if (failed.includes(gate.needs)) {
    console.log(`- ${name.padEnd(8)} not run: it needs ${gate.needs}`)
    continue
  }
  const start = performance.now()
  const findings = await gate.run(values.root, tree)
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  const wrong = findings.filter(({ warning }) => !warning)
  const count = wrong.length
    ? `${wrong.length === 1 ? '1 finding' : `${wrong.length} findings`}: `
    : ''
  console.log(`${wrong.length ? '✗' : '✓'} ${name.padEnd(8)} ${seconds} s  ${count}${gate.says}`)
  for (const finding of findings) console.log(describe(finding))
  if (wrong.length) failed.push(name)
}
if (failed.length) {
  console.error(
    `\ncheck failed: ${failed.join(', ')}. Run one alone with: npm run check -- ${failed[0]}`,
  )
  process.exit(1)
}

function describe({ output, file, line, rule, text, warning }) {
  if (output !== undefined) return output
  return `  ${file}${line ? `:${line}` : ''}  ${warning ? '(warning) ' : ''}${rule}\n    ${text}`
}
